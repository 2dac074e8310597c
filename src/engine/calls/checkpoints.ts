import type { Message } from '../../protocol/index.ts';
import type { JournalEntry } from './journal.ts';
import type { CallState } from './call-state.ts';

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

/** What a run that was lost had begun, and how far it came. */
export interface Recovery {
  /** The turn comes from a backup: every call without an outcome may have run after the backup was made. */
  readonly mayHaveRun: boolean;
  /** What a call came to. */
  outcomeOf(callId: string): CallState | undefined;
  /** Whether a call was begun that must not be made twice. */
  hasBegun(callId: string): boolean;
  /** The steps of a call that are done. */
  stepsOf(callId: string): readonly JournalEntry[];
  /** The steps of a call that were begun, and nobody knows how they ended. */
  openStepsOf(callId: string): readonly string[];
}

/** By call, or by call and step: what it came to, undefined for one that was at work. */
export type LeftExecutions = ReadonlyMap<string, unknown>;

export function createRecovery(left: LeftExecutions, { mayHaveRun = false } = {}): Recovery {
  const stepKeys = (callId: string) =>
    [...left.keys()].filter((key) => key.startsWith(`${callId}/`)).map((key) => key.slice(callId.length + 1));
  return {
    mayHaveRun,
    // Written by the loop itself, as the outcome of a call.
    outcomeOf: (callId) => left.get(callId) as CallState | undefined,
    hasBegun: (callId) => mayHaveRun || left.has(callId),
    stepsOf: (callId) =>
      stepKeys(callId).flatMap((key) => {
        const entry = left.get(`${callId}/${key}`);
        return entry === undefined ? [] : [entry as JournalEntry];
      }),
    openStepsOf: (callId) => stepKeys(callId).filter((key) => left.get(`${callId}/${key}`) === undefined),
  };
}

/** The key of a step of a call. */
export function stepExecution(callId: string, stepKey: string): string {
  return `${callId}/${stepKey}`;
}
