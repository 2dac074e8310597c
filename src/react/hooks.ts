import { useMemo, useSyncExternalStore } from 'react';
import type { ApproveOptions, InboxAnswer, InboxFilter, InboxItem, ResumeEntry } from '../client/index.ts';
import { answer, approve, cancel, reject } from '../client/index.ts';
import type {
  Card,
  CardFacts,
  Conversation,
  ConversationSnapshot,
  InboxSnapshot,
  InterruptEntry,
} from '../elements/index.ts';
import { cardFacts, toRecord } from '../elements/index.ts';
import { useStores } from './holdpoint-provider.ts';

/** A thread and what can be done with it. */
export type ThreadView = ConversationSnapshot &
  Omit<Conversation, 'subscribe' | 'getSnapshot' | 'open' | 'close' | 'seen'>;

/** An interrupt on the screen, and what a person can do with it. */
export interface InterruptView extends Card {
  /** Id of the interrupt. */
  readonly id: string;
  readonly threadId: string;
  /** What a card shows: title, arguments, risk. */
  readonly facts: CardFacts;
  /** The host's record of it, where it was loaded from the inbox. */
  readonly item: InboxItem | undefined;
  readonly approve: (options?: ApproveOptions) => Promise<void>;
  readonly reject: (reason?: string) => Promise<void>;
  readonly answer: (value: unknown) => Promise<void>;
  readonly cancel: () => Promise<void>;
  /** Sends an answer as a resume entry. */
  readonly send: (entry: ResumeEntry) => Promise<void>;
  /** Sends the same answer again after a failure. */
  readonly retry: () => Promise<void>;
  /** Raises an expired interrupt again. */
  readonly askAgain: () => Promise<unknown>;
  /** The people who have to answer; undefined if the viewer may answer. */
  readonly waitingFor: string | undefined;
  /** True: the viewer may take the request back. */
  readonly mayWithdraw: boolean;
  readonly withdraw: () => Promise<void>;
  /** Takes a closed card off the screen. */
  readonly dismiss: () => void;
}

/** The open interrupts of all threads, and what can be done with them. */
export interface InboxView extends InboxSnapshot {
  /** Answers an interrupt. Throws a `HoldpointError`, `INTERRUPT_CONFLICT` when another answer was first. */
  readonly answer: (item: InboxItem, entry: ResumeEntry) => Promise<InboxAnswer>;
  readonly refresh: () => Promise<void>;
  /** Loads another page. */
  readonly more: () => Promise<void>;
}

/**
 * A thread, live: its messages, status and cards, and functions to send, answer and stop. Follows the thread while a
 * component uses it.
 *
 * @example
 * ```ts
 * import { useThread } from 'holdpoint/react';
 *
 * const useStatus = (id: string) => useThread(id).status;
 * ```
 */
export function useThread(threadId: string): ThreadView {
  const { subscribe, getSnapshot, getServerSnapshot, actions } = useStores().conversation(threadId);
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
  return useMemo(() => ({ ...actions, ...snapshot }), [actions, snapshot]);
}

/**
 * The interrupts of a thread that wait for an answer, and those whose outcome is still shown. Answers of one turn are
 * sent together.
 *
 * @example
 * ```ts
 * import { useInterrupts } from 'holdpoint/react';
 *
 * const useTitles = (id: string) => useInterrupts(id).map(({ facts }) => facts.title);
 * ```
 */
export function useInterrupts(threadId: string): readonly InterruptView[] {
  const { subscribe, getSnapshot, getServerSnapshot, actions } = useStores().conversation(threadId);
  const { cards, records } = useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
  return useMemo(() => {
    const recordOf = (id: string) => records.find(({ interrupt }) => interrupt.id === id);
    return cards.map((card) => viewOf({ ...card, threadId, record: recordOf(card.interrupt.id) }, actions));
  }, [actions, cards, records, threadId]);
}

/**
 * One interrupt by its ids, for a reviewer who may not see its thread; undefined before it is loaded.
 *
 * @example
 * ```ts
 * import { useInterrupt } from 'holdpoint/react';
 *
 * const useTitle = (id: string) => useInterrupt('order-17', id)?.facts.title;
 * ```
 */
export function useInterrupt(threadId: string, interruptId: string): InterruptView | undefined {
  const { subscribe, getSnapshot, getServerSnapshot, actions } = useStores().request(threadId, interruptId);
  const { item, status } = useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
  return useMemo(
    () =>
      item === undefined
        ? undefined
        : viewOf({ ...item, threadId, item, status, record: toRecord(item) }, actions),
    [actions, item, status, threadId],
  );
}

/**
 * The open interrupts of all threads, live. The host filters and orders them.
 *
 * @example
 * ```ts
 * import { useInbox } from 'holdpoint/react';
 *
 * const useWaiting = () => useInbox({ tool: 'transferMoney' }).items.length;
 * ```
 */
export function useInbox(filter?: InboxFilter): InboxView {
  const { client, inbox } = useStores();
  const { subscribe, getSnapshot, getServerSnapshot, actions } = inbox(filter);
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
  return useMemo(
    () => ({ ...actions, ...snapshot, answer: (item, entry) => client.inbox.answer(item.threadId, entry) }),
    [client, actions, snapshot],
  );
}

interface Shown extends Card, Pick<InterruptView, 'threadId'> {
  readonly item?: InboxItem;
  readonly record: InterruptEntry | undefined;
}

/** A conversation or the store of one request. */
interface CardActions extends Pick<Conversation, 'answer' | 'retry' | 'withdraw'> {
  askAgain(interruptId: string): Promise<unknown>;
  dismiss?(interruptId: string): void;
}

function viewOf({ interrupt, status, threadId, item, record }: Shown, actions: CardActions): InterruptView {
  const { id } = interrupt;
  const send = (entry: ResumeEntry) => actions.answer(entry);
  return {
    id,
    threadId,
    interrupt,
    status,
    item,
    facts: cardFacts(interrupt),
    waitingFor: record?.waitingFor,
    mayWithdraw: record?.mayWithdraw === true,
    send,
    approve: (options) => send(approve(interrupt, options)),
    reject: (reason) => send(reject(interrupt, reason)),
    answer: (value) => send(answer(interrupt, value)),
    cancel: () => send(cancel(interrupt)),
    retry: () => actions.retry(id),
    askAgain: () => actions.askAgain(id),
    withdraw: () => actions.withdraw(id),
    dismiss: () => actions.dismiss?.(id),
  };
}
