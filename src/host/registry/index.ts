/**
 * host/registry: agents made from data. Profiles, tools and agents are checked as a whole, resolved for each request by
 * id or alias, and replaceable while runs go on. Touches core, engine and the names of protocol only: no HTTP, no
 * store.
 */
export type { AgentDefinition, AgentEntry, ReadyAgent } from './agent-entry.ts';
export { toolInfo } from './agent-info.ts';
export type { AgentInfo, ToolInfo } from './agent-info.ts';
export { callLog } from './call-log.ts';
export type { CallLogEntry } from './call-log.ts';
export { createRegistry } from './create-registry.ts';
export type { Registry, RegistryOptions } from './create-registry.ts';
export type { Profile } from './profile.ts';
export type { RegistryData } from './read-registry.ts';
export type { RegistryCode } from './registry-code.ts';
export type { ResolvedAgent } from './build-agent.ts';
export type { ApprovalRules, ToolRules } from './stricter-tool.ts';
export type { ToolEntry } from './tool-entry.ts';
