/**
 * a2a: puts an A2A agent behind AG-UI (`agent/`), and serves an agent as an A2A server (`server/`). `dialects/` reads and writes the
 * forms of input requests. Imports `@a2a-js/sdk` 1.x, an optional peer; no Node built-ins.
 */
export type { AccessOptions, RequestSource } from '../ledger/index.ts';
export { a2aAgent } from './agent/a2a-agent.ts';
export type { A2aAgent, A2aAgentOptions } from './agent/a2a-agent.ts';
export type { A2aMemory } from './agent/a2a-memory.ts';
export type { A2aCaller, A2aFetch } from './agent/connect.ts';
export type { AskedRequest, RequestAnswer, RequestDialect } from './dialects/request-dialect.ts';
export type { InputField } from './fields.ts';
export type { InputRequest, InputResponse } from './parts.ts';
export { readInput, requestInput } from './server/request-input.ts';
export type { ReadInput, RequestInputOptions, TaskIds } from './server/request-input.ts';
export { storeTaskStore } from './server/store-task-store.ts';
export { toA2a } from './server/to-a2a.ts';
export type { A2aService, ToA2aOptions } from './server/to-a2a.ts';
