import type { Client, InboxItem, ResumeEntry } from '../../client/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { givenAnswerOf } from '../conversation/given-answer.ts';
import type { CardStatus } from '../interrupt/card-status.ts';
import { OPEN } from '../interrupt/card-status.ts';

/** One interrupt of a host at one moment, and the status of its answer. */
export interface RequestSnapshot {
  /** Undefined before it was loaded. */
  readonly item: InboxItem | undefined;
  readonly status: CardStatus;
  /** The error of the newest load; errors of an answer are in the status. */
  readonly trouble: unknown;
}

/** One interrupt, for a person who may see it and perhaps not its thread. */
export interface RequestStore {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => RequestSnapshot;
  /** Loads the interrupt now. */
  load(): Promise<void>;
  /** Answers it; the status says what became of the answer. */
  answer(entry: ResumeEntry): Promise<void>;
  /** Sends the same answer again. */
  retry(): Promise<void>;
  /** Takes the viewer's own request back. */
  withdraw(): Promise<void>;
  /** Raises an expired interrupt again; returns the new id, undefined when that failed. */
  askAgain(): Promise<string | undefined>;
}

/** Creates the store of one interrupt. Sends no request before `load`. */
export function createRequest(
  client: Client,
  { threadId, interruptId }: { readonly threadId: string; readonly interruptId: string },
): RequestStore {
  const listeners = new Set<() => void>();
  let snapshot: RequestSnapshot = { item: undefined, status: OPEN, trouble: undefined };
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
    async answer(entry) {
      set({ status: { state: 'sending', entry } });
      try {
        await client.inbox.answer(threadId, entry);
        set({ status: { state: 'answered', answered: entry } });
      } catch (failure) {
        const error = HoldpointError.is(failure)
          ? failure
          : new HoldpointError('INTERNAL', 'The request failed.', { cause: failure });
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
      if (status.state === 'failed') await store.answer(status.entry);
    },
    async withdraw() {
      await client.inbox.withdraw(threadId, interruptId).catch((error: unknown) => set({ trouble: error }));
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

function statusAfterLoad(item: InboxItem, before: CardStatus): CardStatus {
  const isOver = item['status'] !== 'pending' && item['status'] !== 'expired';
  if (isOver)
    return before.state === 'lost' ? before : { state: 'answered', answered: givenAnswerOf(item) ?? {} };
  return before.state === 'answered' || before.state === 'lost' ? OPEN : before;
}
