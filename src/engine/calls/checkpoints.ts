import type { Message } from '../../protocol/index.ts';

/**
 * Keeps what a run does while it does it, so that another process can go on where it left off. A run without a store has
 * none.
 */
export interface Checkpoints {
  /** The turn as the model asked for it; kept before the first of its calls is made. */
  turnBegun(message: Message): void;
  /** All calls of the turn have their results; `messages` is the whole conversation. */
  turnFinished(messages: readonly Message[], state: unknown): void;
  /**
   * A call or a step is about to be made; a call has a key. Durable when it resolves. Throws `RUN_LOST` when the run is no
   * longer the one that may.
   */
  starting(execution: string, idempotencyKey?: string): Promise<void>;
  /** The key of a call, as it is on record, and otherwise made for it; `within` names the calls that it is made in. */
  idempotencyKey(toolCallId: string, within?: readonly string[]): string;
  /**
   * Comes right before every body and every step. Throws `RUN_LOST` unless the run certainly still is the one that may; once
   * it has returned, the run does not give its answers back.
   */
  entering(): void;
  /** What a call or a step came to. */
  finished(key: string, outcome: unknown): void;
  /** Fires when somebody wants the run to stop: no further call is made, and what is at work is waited for. */
  readonly cancelSignal: AbortSignal;
}

/** The checkpoints of work within a call: whatever begins there, the call has begun. */
export function checkpointsWithin(
  checkpoints: Checkpoints,
  key: string,
  onEntering: () => void = () => undefined,
): Checkpoints {
  return {
    turnBegun: () => undefined,
    turnFinished: () => undefined,
    starting: () => checkpoints.starting(key),
    idempotencyKey: (toolCallId, within = []) => checkpoints.idempotencyKey(toolCallId, [key, ...within]),
    entering() {
      checkpoints.entering();
      onEntering();
    },
    finished: () => undefined,
    cancelSignal: checkpoints.cancelSignal,
  };
}
