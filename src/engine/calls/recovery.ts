import type { JournalEntry } from '../journal/journal.ts';
import type { CallState } from './call-state.ts';

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
