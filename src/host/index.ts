/**
 * host: any agent behind AG-UI, over a store. `(Request) → Response`: runs, connect, sessions, the inbox, live events, files,
 * grants, and agents as data. No Node built-ins here; `host/node`, `host/express` and `host/fastify` have those.
 */
export type { AgentLike, ForeignAgent, Reconciled } from '../runs/index.ts';
export { createHost } from './create-host.ts';
export type { Host } from './create-host.ts';
export type { RequestSource } from '../ledger/index.ts';
export type { FileOptions, FilePage, FileQuotas, FileStore, StoredFile } from './files/file-options.ts';
export { objectFiles } from './files/object-files.ts';
export type { ObjectStore } from './files/object-files.ts';
export type { CorsOptions, HostLimits, HostOptions, Logger } from './host-options.ts';
export type { AccessOptions, Action, Principal, Resource } from '../ledger/index.ts';
export type { HostTelemetryOptions } from './host-metrics.ts';
export type { AgentDefinition, AgentEntry, ReadyAgent } from './registry/agent-entry.ts';
export type { ResolvedAgent } from './registry/build-agent.ts';
export { callLog } from './registry/call-log.ts';
export type { CallLogEntry } from './registry/call-log.ts';
export { createRegistry } from './registry/create-registry.ts';
export type { Registry, RegistryOptions } from './registry/create-registry.ts';
export type { Profile } from './registry/profile.ts';
export type { RegistryData } from './registry/read-registry.ts';
export type { AgentInfo, RegistryCode, ToolInfo } from './registry/registry-code.ts';
export type { ApprovalRules, ToolEntry, ToolRules } from './registry/tool-entry.ts';
