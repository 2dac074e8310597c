import type { RunContext } from '../calls/run-context.ts';
import type { LoopSettings } from '../loop/loop-settings.ts';
import type { LoopResult, LoopStart } from '../loop/run-loop.ts';
import type { ChatModel } from '../model/chat-model.ts';

/** Runs an agent's part of a run. */
export type LoopRunner = (
  start: LoopStart,
  given: {
    readonly clientTools: LoopSettings['clientTools'];
    readonly maxTurns: number | undefined;
    /** Goes around the model itself, inside all middleware. */
    readonly wrapModel?: (model: ChatModel) => ChatModel;
  },
  run: RunContext,
) => Promise<LoopResult>;
