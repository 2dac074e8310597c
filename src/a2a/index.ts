/**
 * a2a: an A2A agent behind AG-UI, and any agent of ours in front as A2A. A2A owns the truth of its tasks; what a thread
 * shows of them is a projection. Imports `@a2a-js/sdk` 1.x, an optional peer; no Node built-ins.
 */
export type { AccessOptions } from '../ledger/index.ts';
export { a2aAgent } from './agent/a2a-agent.ts';
export type { A2aAgent, A2aAgentOptions } from './agent/a2a-agent.ts';
export type { A2aMemory } from './agent/a2a-memory.ts';
export type { AskedRequest, RequestAnswer, RequestDialect } from './dialects/index.ts';
export type { InputField } from './fields.ts';
export type { InputRequest, InputResponse } from './input-parts.ts';
export type { A2aService, ToA2aOptions } from './server/to-a2a.ts';
export { toA2a } from './server/to-a2a.ts';
export { readInput, requestInput } from './server/request-input.ts';
export type { AskingTask, InputQuestion, ReadInput } from './server/request-input.ts';
export { storeTaskStore } from './server/store-task-store.ts';
