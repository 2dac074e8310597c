/** emit: writes a run in an order that is always legal. */
export { createEmitter } from './create-emitter.ts';
export type { Emitter, EmitterOptions, EndOptions } from './create-emitter.ts';
export type {
  OpenStream,
  StreamEmitter,
  SubagentEmitter,
  SubagentOptions,
  TextOptions,
  ToolCallOptions,
} from './stream-emitter.ts';
