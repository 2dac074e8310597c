import type { Client, Run } from '../../client/index.ts';
import { cancel } from '../../client/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { CardStatus } from '../interrupt/card-status.ts';
import { createCardStates } from './card-states.ts';
import type { Conversation, ConversationSnapshot } from './conversation.ts';
import { followThread } from './follow-thread.ts';
import { givenAnswerOf } from './given-answer.ts';

/** A server that shows nothing for so long is asked anyway, and its silence is told. */
const LONGEST_WAIT_MS = 5000;

/** The conversation on one thread. Nothing is asked of the server before `open`. */
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
  const openQuestion = (id: string) => thread.getSnapshot().interrupts.find((one) => one.id === id);
  const setStatus = (id: string, status: CardStatus) => {
    const interrupt = openQuestion(id) ?? knownQuestion(conversation, id);
    if (interrupt !== undefined) states.set(interrupt, status);
    changed();
  };
  const showTrouble = (error: unknown) => {
    trouble = error;
  };

  /** A question may be here before the stream of the run that asked it has ended; nothing else begins until then. */
  const idle = async () => {
    await run?.finished.catch(() => undefined);
  };

  /** Waits for a request; what goes wrong with it is for `onError` to show. */
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
  /** A question that a list leaves out, if it is over; the list may be older than the question. */
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

  /** What waited here for an answer that somebody gave elsewhere goes now. */
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
        // What others answered is said until the agent goes on.
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
      // What is sent before the thread is there would be shown before what came earlier.
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
      await send(thread.getSnapshot().staged);
    },
    async retry(interruptId) {
      const status = states.get(interruptId);
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

function knownQuestion(conversation: Conversation, id: string): Interrupt | undefined {
  return conversation.getSnapshot().cards.find(({ interrupt }) => interrupt.id === id)?.interrupt;
}

function toError(error: unknown): HoldpointError {
  if (HoldpointError.is(error)) return error;
  return new HoldpointError('INTERNAL', 'The request failed.', { cause: error });
}
