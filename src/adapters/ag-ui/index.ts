/**
 * adapters/ag-ui: an AG-UI server or an `AbstractAgent` as an agent for a host, an agent of ours as an `AbstractAgent`, and an
 * `HttpAgent` that gets its thread back after a reload. Declares the parts of `@ag-ui/client` that it uses. Imports core, protocol and
 * engine; no Node built-ins.
 */
export { fromAgUi } from './from-ag-ui.ts';
export type { HostThread } from '../emit-run.ts';
export type { AgUiAgent, FromAgUiOptions } from './from-ag-ui.ts';
export { holdpointAgent } from './holdpoint-agent.ts';
export type { AbstractAgentLike } from '../../engine/index.ts';
export { toAbstractAgent } from './to-abstract-agent.ts';
