import type { Client, Run } from '../../client/index.ts';
import { cancel } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { CardStatus } from '../interrupt/card-status.ts';
import { createCardStates } from './card-states.ts';
import type { Conversation, ConversationSnapshot } from './conversation.ts';
import { followThread } from './follow-thread.ts';
import { givenAnswerOf } from './given-answer.ts';

/** Longest wait in milliseconds for the first events of a thread before a request is sent anyway. */
const LONGEST_WAIT_MS = 5000;

/** Creates the conversation of one thread. Sends no request before `open`. */
export function createConversation(client: Client, threadId: string): Conversation {
  const thread = client.thread(threadId);
  const listeners = new Set<() => void>();
  const states = createCardStates();
  let leaving = new AbortController();
  let isReady = false;
  let trouble: unknown;
  let run: Run | undefined;
  let snapshot: ConversationSnapshot | undefined;
  let unsubscribe = () => {};
  let show = () => {};
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });

  const changed = () => {
    snapshot = undefined;
    for (const listener of listeners) listener();
  };
  const openInterrupt = (id: string) => thread.getSnapshot().interrupts.find((one) => one.id === id);
  const setStatus = (id: string, status: CardStatus) => {
    const interrupt = openInterrupt(id) ?? knownInterrupt(conversation, id);
    if (interrupt !== undefined) states.set(interrupt, status);
    changed();
  };
  const showTrouble = (error: unknown) => {
    trouble = error;
  };

  /** Waits until the stream of the current run has ended: an interrupt can arrive before that. */
  const idle = async () => {
    await run?.finished.catch(() => undefined);
  };

  /** Waits for a request and passes its error to `onError`. */
  const finish = async (next: Run, onError: (error: unknown) => void | Promise<void>) => {
    run = next;
    trouble = undefined;
    changed();
    try {
      await next.finished;
    } catch (error) {
      if (!leaving.signal.aborted) await onError(error);
    } finally {
      if (run === next) run = undefined;
      changed();
    }
  };
  const refresh = () => finish(client.connect(threadId, { signal: leaving.signal }), showTrouble);
  const answeredBy = async (id: string) =>
    givenAnswerOf(await client.inbox.get(threadId, id).catch(() => ({}))) ?? {};
  /**
   * Looks up an interrupt that the inbox list leaves out; undefined while it is still open, because the list may be
   * older.
   */
  const overNow = async (id: string) => {
    const item = await client.inbox.get(threadId, id).catch(() => undefined);
    if (item === undefined || item['status'] === 'pending' || item['status'] === 'expired') return undefined;
    return { id, answered: givenAnswerOf(item) ?? {} };
  };

  const send = async (entries: readonly ResumeEntry[]) => {
    for (const entry of entries) setStatus(entry.interruptId, { state: 'sending', entry });
    await idle();
    await finish(client.resume({ threadId }, entries), async (failure) => {
      const error = toError(failure);
      const isOver = error.code === 'INTERRUPT_CONFLICT' || error.code === 'INTERRUPT_UNKNOWN';
      const taken = error.details?.['interruptId'];
      for (const entry of entries) {
        const { interruptId } = entry;
        if (isOver && (taken ?? interruptId) === interruptId) {
          const answered = givenAnswerOf(error.details ?? {}) ?? (await answeredBy(interruptId));
          setStatus(interruptId, { state: 'lost', answered, yours: entry });
        } else setStatus(interruptId, { state: 'failed', entry, error });
      }
      if (isOver) await refresh();
    });
    for (const { interruptId } of entries)
      if (states.get(interruptId)?.state === 'sending') states.forget(interruptId);
    changed();
  };

  /** Sends the staged answers once every open interrupt has one; an answer given elsewhere can complete them. */
  const sendComplete = async () => {
    const { interrupts, staged } = thread.getSnapshot();
    const isComplete = interrupts.every(({ id }) => states.get(id)?.state === 'staged');
    if (interrupts.length > 0 && isComplete) await send(staged);
  };

  const conversation: Conversation = {
    threadId,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot() {
      const now = thread.getSnapshot();
      snapshot ??= { ...now, isReady, isBusy: run !== undefined, trouble, cards: states.cards(now) };
      return snapshot;
    },
    open() {
      leaving = new AbortController();
      const { signal } = leaving;
      unsubscribe = thread.subscribe(() => {
        // Answers that others gave stay on screen until the agent continues.
        const { status, interrupts } = thread.getSnapshot();
        if (interrupts.length === 0 || status === 'running') states.clear('answered');
        changed();
      });
      const onShown = () => {
        if (isReady) return;
        isReady = true;
        show();
        changed();
      };
      void followThread(client, { threadId, onShown }, signal);
    },
    close() {
      leaving.abort();
      unsubscribe();
    },
    async say(text) {
      states.clear('lost');
      // A message that is sent before the thread is shown would appear above the earlier ones.
      await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT_MS))]);
      await idle();
      const resume = thread.getSnapshot().interrupts.map((interrupt) => cancel(interrupt));
      const request = { threadId, messages: text, ...(resume.length === 0 ? {} : { resume }) };
      await finish(client.run(request), showTrouble);
    },
    async answer(entry) {
      const { interruptId } = entry;
      states.clear('lost');
      setStatus(interruptId, { state: 'sending', entry });
      try {
        const { missing } = await client.stage({ threadId }, [entry]);
        if (missing.length > 0) {
          setStatus(interruptId, { state: 'staged', entry });
          await sendComplete();
          return;
        }
      } catch (failure) {
        setStatus(interruptId, { state: 'failed', entry, error: toError(failure) });
        return;
      }
      // The thread may have been shown anew in between, without the staged answers: this one is sent in any case.
      const { staged } = thread.getSnapshot();
      await send([...staged.filter((one) => one.interruptId !== interruptId), entry]);
    },
    async retry(interruptId) {
      const { cards } = conversation.getSnapshot();
      const status = cards.find(({ interrupt }) => interrupt.id === interruptId)?.status;
      if (status?.state === 'failed') await conversation.answer(status.entry);
    },
    async askAgain(interruptId) {
      const failure = await client.inbox.askAgain(threadId, interruptId).then(
        () => undefined,
        (error: unknown) => error,
      );
      await idle();
      await refresh();
      if (failure !== undefined) showTrouble(failure);
      changed();
    },
    async goOn() {
      await idle();
      await finish(client.run({ threadId }), showTrouble);
    },
    async regenerate() {
      await idle();
      const last = thread.getSnapshot().messages.findLast(({ role }) => role === 'user');
      if (last === undefined) return;
      const forwardedProps = { holdpoint: { truncateAfter: last.id } };
      await finish(client.run({ threadId, forwardedProps }), showTrouble);
    },
    async stop() {
      if (run !== undefined) await client.stop(run);
    },
    async seen(items) {
      const { interrupts, status } = thread.getSnapshot();
      if (!isReady || run !== undefined || status === 'running') return;
      const here = items.filter((item) => item.threadId === threadId).map(({ interrupt }) => interrupt.id);
      const missing = interrupts.filter(({ id }) => !here.includes(id));
      const gone = await Promise.all(missing.map(({ id }) => overNow(id)));
      if (gone.every((one) => one === undefined) && here.length <= interrupts.length) return;
      for (const one of gone)
        if (one !== undefined) setStatus(one.id, { state: 'answered', answered: one.answered });
      if (run === undefined) await refresh();
      await sendComplete();
    },
  };
  return conversation;
}

function knownInterrupt(conversation: Conversation, id: string): Interrupt | undefined {
  return conversation.getSnapshot().cards.find(({ interrupt }) => interrupt.id === id)?.interrupt;
}

function toError(error: unknown): HoldpointError {
  if (HoldpointError.is(error)) return error;
  return new HoldpointError('INTERNAL', 'The request failed.', { cause: error });
}
