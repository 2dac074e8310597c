import { defined } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import type { JournalEntry } from './journal.ts';
import type { CallState, PendingInterrupt } from './call-state.ts';
import { readCallState } from './call-state.ts';

/**
 * Stores the work of a run while it happens, so that another process can continue it. A run without a store has
 * none.
 */
export interface Checkpoints {
  /** The model has returned a turn; stored before its first call starts. */
  turnBegun(message: Message): void;
  /** All calls of the turn have results; `messages` is the whole conversation. */
  turnFinished(messages: readonly Message[], state: unknown): void;
  /**
   * A call or step starts. Durable when it resolves. Returns false, and starts nothing, if the grant no longer allows the
   * call. Throws `RUN_LOST` if the run has lost its lease.
   */
  starting(execution: string, start?: ExecutionStart): Promise<boolean>;
  /** The stored key of a call, or a new one; `within` names the calls around it. */
  idempotencyKey(toolCallId: string, within?: readonly string[]): string;
  /**
   * Called right before every body and step. Throws `RUN_LOST` unless the run certainly holds its lease. Afterwards
   * the run no longer releases its answers.
   */
  entering(): void;
  /** A call or step has ended. */
  finished(key: string, outcome: unknown): void;
  /** Aborts when the run is to stop: no further call starts, and running ones are awaited. */
  readonly cancelSignal: AbortSignal;
}

/** The start of a call or step. */
export interface ExecutionStart {
  /** The idempotency key of a call; absent for a step. */
  readonly idempotencyKey?: string;
  /** The grant that the call starts by: its use is counted in the same commit. */
  readonly grant?: StartByGrant;
}

/** The grant that a call starts by, and the interrupt that it spares. */
export interface StartByGrant {
  readonly id: string;
  readonly amount: number | undefined;
  readonly toolCallId: string;
  /** Recorded as answered by the grant. */
  readonly spared: Pick<PendingInterrupt, 'interrupt' | 'rules'>;
}

/** The checkpoints for work inside a call: when it starts, the call has started. */
export function checkpointsWithin(
  checkpoints: Checkpoints,
  key: string,
  onEntering: () => void = () => undefined,
): Checkpoints {
  return {
    turnBegun: () => undefined,
    turnFinished: () => undefined,
    starting: (_execution, { grant } = {}) => checkpoints.starting(key, defined({ grant })),
    idempotencyKey: (toolCallId, within = []) => checkpoints.idempotencyKey(toolCallId, [key, ...within]),
    entering() {
      checkpoints.entering();
      onEntering();
    },
    finished: () => undefined,
    cancelSignal: checkpoints.cancelSignal,
  };
}

/** The progress of a lost run. */
export interface Recovery {
  /** The turn comes from a backup: every call without an outcome may have run after the backup was made. */
  readonly mayHaveRun: boolean;
  /** The outcome of a call. */
  outcomeOf(callId: string): CallState | undefined;
  /** Whether a call has started that must not run twice. */
  hasBegun(callId: string): boolean;
  /** The finished steps of a call. */
  stepsOf(callId: string): readonly JournalEntry[];
  /** The steps of a call that started and are not finished. */
  openStepsOf(callId: string): readonly string[];
  /** The error of a step that ended with one. */
  stepErrorOf(callId: string, stepKey: string): string | undefined;
}

/** By call, or by call and step: the outcome; undefined if it was running. */
export type LeftExecutions = ReadonlyMap<string, unknown>;

export function createRecovery(left: LeftExecutions, { mayHaveRun = false } = {}): Recovery {
  // Written by `finished`.
  const entryOf = (callId: string, key: string) =>
    left.get(stepExecution(callId, key)) as JournalEntry | undefined;
  const stepKeys = (callId: string) =>
    [...left.keys()].filter((key) => key.startsWith(`${callId}/`)).map((key) => key.slice(callId.length + 1));
  return {
    mayHaveRun,
    outcomeOf: (callId) => readCallState(left.get(callId)),
    hasBegun: (callId) => mayHaveRun || left.has(callId),
    stepsOf: (callId) =>
      stepKeys(callId).flatMap((key) => {
        const entry = entryOf(callId, key);
        return entry === undefined || entry.error !== undefined ? [] : [entry];
      }),
    openStepsOf: (callId) =>
      stepKeys(callId).filter((key) => {
        const entry = entryOf(callId, key);
        return entry === undefined || (entry.error !== undefined && entry.unstarted !== true);
      }),
    stepErrorOf: (callId, stepKey) => entryOf(callId, stepKey)?.error,
  };
}

/** The key of a step of a call. */
export function stepExecution(callId: string, stepKey: string): string {
  return `${callId}/${stepKey}`;
}
