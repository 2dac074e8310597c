import type { Client, InboxAnswer, InboxItem, ResumeEntry } from '../../client/index.ts';
import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import { givenAnswerOf } from '../conversation/given-answer.ts';
import type { CardStatus, GivenAnswer } from '../interrupt/card-status.ts';
import { OPEN } from '../interrupt/card-status.ts';
import { changesBetween } from '../interrupt/changes.ts';

/** One interrupt of a host at one moment, and the status of its answer. */
export interface RequestSnapshot {
  /** Undefined before it was loaded. */
  readonly item: InboxItem | undefined;
  readonly status: CardStatus;
  /** The error of the newest request; errors of an answer are in the status. */
  readonly trouble: unknown;
}

/** One interrupt, for a person who may see it and perhaps not its thread. */
export interface RequestStore {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => RequestSnapshot;
  /** Loads the interrupt now. */
  load(): Promise<void>;
  /** Sends an answer; the status has the result. Calls `onAccepted` before it loads the interrupt again. */
  answer(entry: ResumeEntry, onAccepted?: (answer: InboxAnswer) => void): Promise<void>;
  /** Sends the same answer, or the same withdrawal, again. */
  retry(): Promise<void>;
  /** Takes the viewer's own request back. */
  withdraw(): Promise<void>;
  /** Raises an expired interrupt again. Returns the new id; undefined for a failure. */
  askAgain(): Promise<string | undefined>;
}

/** The options of {@link createRequest}. */
export interface RequestOptions {
  readonly threadId: string;
  readonly interruptId: string;
  /** The interrupt as a list has it, to show before the first load. Default: none. */
  readonly item?: InboxItem | undefined;
  /** Milliseconds in which an answer can be taken back. Default 0. */
  readonly undoMs?: number;
}

/** Creates the store of one interrupt. Sends no request before `load`. */
export function createRequest(
  client: Client,
  { threadId, interruptId, item: listed, undoMs }: RequestOptions,
): RequestStore {
  const listeners = new Set<() => void>();
  let snapshot: RequestSnapshot = { item: listed, status: OPEN, trouble: undefined };
  const set = (next: Partial<RequestSnapshot>) => {
    snapshot = { ...snapshot, ...next };
    for (const listener of listeners) listener();
  };
  const store: RequestStore = {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    async load() {
      try {
        const item = await client.inbox.get(threadId, interruptId);
        set({ item, trouble: undefined, status: statusAfterLoad(item, snapshot.status) });
      } catch (error) {
        set({ trouble: error });
      }
    },
    async answer(entry, onAccepted) {
      set({ status: { state: 'sending', entry } });
      try {
        const answer = await client.inbox.answer(threadId, entry, defined({ undoMs }));
        set({ status: { state: 'answered', answered: entry }, trouble: undefined });
        onAccepted?.(answer);
      } catch (failure) {
        const error = toError(failure);
        if (error.code !== 'INTERRUPT_CONFLICT') {
          set({ status: { state: 'failed', entry, error } });
          return;
        }
        const details = error.details?.['details'] ?? error.details;
        const answered = (isRecord(details) ? givenAnswerOf(details) : undefined) ?? {};
        set({ status: { state: 'lost', answered, yours: entry } });
      }
      await store.load();
    },
    async retry() {
      const { status } = snapshot;
      if (status.state !== 'failed') return;
      await (status.isWithdrawal === true ? store.withdraw() : store.answer(status.entry));
    },
    async withdraw() {
      const entry: ResumeEntry = { interruptId, status: 'cancelled' };
      set({ status: { state: 'sending', entry } });
      try {
        await client.inbox.withdraw(threadId, interruptId);
        const answered = { status: 'cancelled', withdrawn: true, you: true } as const;
        set({ status: { state: 'answered', answered }, trouble: undefined });
      } catch (failure) {
        const error = toError(failure);
        if (error.code !== 'INTERRUPT_CONFLICT') {
          set({ status: { state: 'failed', entry, error, isWithdrawal: true } });
          return;
        }
        // An answer was first: the loaded request shows it.
        set({ status: OPEN });
      }
      await store.load();
    },
    async askAgain() {
      try {
        const { interrupt } = await client.inbox.askAgain(threadId, interruptId);
        return isRecord(interrupt) && typeof interrupt['id'] === 'string' ? interrupt['id'] : undefined;
      } catch (error) {
        set({ trouble: error });
        return undefined;
      }
    },
  };
  return store;
}

const UNREACHED: ReadonlySet<string> = new Set(['RUN_LOST', 'UNAVAILABLE']);

/** True for the error of a message that did not reach the server: it can be sent again. */
export function isUnreached(error: unknown): boolean {
  return HoldpointError.is(error) && UNREACHED.has(error.code);
}

function toError(failure: unknown): HoldpointError {
  return HoldpointError.is(failure)
    ? failure
    : new HoldpointError('INTERNAL', 'The request failed.', { cause: failure });
}

function statusAfterLoad(item: InboxItem, before: CardStatus): CardStatus {
  const isOver = item['status'] !== 'pending' && item['status'] !== 'expired';
  if (isOver) {
    const answered = givenAnswerOf(item) ?? {};
    if (before.state === 'lost') return { ...before, answered };
    // The answer of this page may have arrived although its sending failed.
    const isLost =
      before.state === 'failed' && before.isWithdrawal !== true && !isSameAnswer(before.entry, answered);
    return isLost ? { state: 'lost', answered, yours: before.entry } : { state: 'answered', answered };
  }
  if (before.state === 'failed' && isUnreached(before.error)) return { ...before, isReachable: true };
  return before.state === 'answered' || before.state === 'lost' ? OPEN : before;
}

/** True when the recorded answer is the one that the viewer sent. The host records a secret as a marker. */
function isSameAnswer({ status, payload }: ResumeEntry, answered: GivenAnswer): boolean {
  if (answered.you !== true || answered.withdrawn === true || answered.status !== status) return false;
  return changesBetween(payload, answered.payload).every(
    ({ after }) => isRecord(after) && typeof after['$secret'] === 'string',
  );
}
