/** emit: writes a run in a legal order. */
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
