/** holdpoint: the entry that most applications import. It grows with the rooms behind it. */
export { HoldpointError } from './core/index.ts';
export type { ErrorCode, Issue } from './core/index.ts';
