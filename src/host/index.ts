/**
 * host: any agent behind AG-UI, over a store. `(Request) → Response`: runs, connect, sessions, the inbox, live events, files,
 * grants, and agents as data. No Node built-ins here; `host/node`, `host/express` and `host/fastify` have those.
 */
export type { AgentLike, ForeignAgent, Reconciled } from '../runs/index.ts';
export { createHost } from './create-host.ts';
export type { Host } from './create-host.ts';
export type { RequestSource } from './http/host-env.ts';
export type { FileOptions, FilePage, FileQuotas, FileStore, StoredFile } from './files/file-options.ts';
export type { HostLimits, HostOptions, Logger } from './host-options.ts';
export type { AccessOptions, Action, Principal, Resource } from '../ledger/index.ts';
export type { HostTelemetryOptions } from './telemetry/host-metrics.ts';
export { callLog, createRegistry } from './registry/index.ts';
export type {
  AgentDefinition,
  AgentEntry,
  AgentInfo,
  ApprovalRules,
  CallLogEntry,
  Profile,
  ReadyAgent,
  Registry,
  RegistryCode,
  RegistryData,
  RegistryOptions,
  ResolvedAgent,
  ToolEntry,
  ToolInfo,
  ToolRules,
} from './registry/index.ts';
