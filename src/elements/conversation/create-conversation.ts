import type { Client, Run } from '../../client/index.ts';
import { cancel } from '../../client/index.ts';
import { canonicalJson, HoldpointError } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import type { CardStatus, FailedStatus } from '../interrupt/card-status.ts';
import { createCardStates } from './card-states.ts';
import type { Conversation, ConversationSnapshot } from './conversation.ts';
import { followThread } from './follow-thread.ts';
import { givenAnswerOf } from './given-answer.ts';
import type { InterruptEntry } from './records.ts';
import { sparedInterrupts } from './read-messages.ts';
import { createRecords } from './records.ts';

/** Longest wait in milliseconds for the first events of a thread before a message is sent anyway. */
const LONGEST_WAIT_MS = 5000;

/** Milliseconds before the next look at the host: whether it can be reached again, or is still at work. */
const LOOK_MS = 1000;

/** How often a message is sent again while the host is at work on the thread: it may continue the turn of an answer. */
const CONFLICT_TRIES = 3;

/** Clients of AG-UI servers that are no hosts: they have runs, and no routes for threads and an inbox. */
const withoutHost = new WeakSet<Client>();

/**
 * Creates the conversation of one thread. Sends no request before `open`. In front of an AG-UI server that is no host, it shows what
 * the server shows at `<url>/connect`, if it has that route, and then only what its own runs bring.
 */
export function createConversation(
  client: Client,
  threadId: string,
  {
    isNew = false,
  }: { /** True for a thread that no server has yet. Default false. */ readonly isNew?: boolean } = {},
): Conversation {
  const thread = client.thread(threadId);
  const listeners = new Set<() => void>();
  const states = createCardStates();
  const records = createRecords(client, threadId);
  /** The interrupts that were open when the thread last changed. */
  let openBefore: ReadonlyMap<string, Interrupt> = new Map();
  /** Whether a run was active when the thread last changed. */
  let wasRunning = false;
  /** Ids of the interrupts that this screen answers, or whose card a person closed: their answers are no news here. */
  const own = new Set<string>();
  /** Ids of the interrupts whose answer the host has taken, while the run that took it goes on. */
  const taken = new Set<string>();
  /** Ids of the interrupts whose call was not over when the record was read. */
  const unsettled = new Set<string>();
  let leaving = new AbortController();
  let isReady = false;
  let isUnknown = false;
  let trouble: unknown;
  let run: Run | undefined;
  let snapshot: ConversationSnapshot | undefined;
  let unsubscribe = () => {};
  /** Resolves when the thread was read, or took too long. */
  let loaded = Promise.resolve();
  let isLoading = false;
  let endLoading = () => {};
  /** The messages of this screen, one after another: a thread has one run. */
  let said = Promise.resolve();
  /** Number of messages that are not sent yet. */
  let unsaid = 0;

  const changed = () => {
    snapshot = undefined;
    for (const listener of listeners) listener();
  };
  const openInterrupt = (id: string) => thread.getSnapshot().interrupts.find((one) => one.id === id);
  const setStatus = (id: string, status: CardStatus) => {
    // An answer can arrive too late. Then the interrupt is closed, and its card says so.
    const interrupt = openInterrupt(id) ?? states.interruptOf(id);
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

  /** Waits for the end of a run that this screen did not start, and at least {@link LOOK_MS}: its events may still be on their way. */
  const otherRun = () =>
    new Promise<void>((resolve) => {
      const { signal } = leaving;
      let isLate = false;
      const check = () => {
        if (!signal.aborted && (!isLate || thread.getSnapshot().status === 'running')) return;
        stop();
        resolve();
      };
      const stop = thread.subscribe(check);
      signal.addEventListener('abort', check, { once: true });
      setTimeout(() => {
        isLate = true;
        check();
      }, LOOK_MS);
    });

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
  /** True while the records are read, or wait for a host that could not be reached. */
  let isReading = false;
  /** True when a record could not be read since the newest load began. */
  let isMissing = false;
  const loadRecords = async () => {
    isMissing = true;
    if (isReading || withoutHost.has(client)) return;
    isReading = true;
    for (;;) {
      isMissing = false;
      const isReached = await records.load();
      changed();
      if ((isReached && !isMissing) || leaving.signal.aborted) break;
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
    }
    isReading = false;
    lookAtClosed();
  };
  /** Reads records again whose interrupts the thread does not show as open: they were answered between the two readings. */
  const lookAtClosed = () => {
    if (!isReady || isReading) return;
    const open = new Set(thread.getSnapshot().interrupts.map(({ id }) => id));
    for (const { interrupt, status } of records.list())
      if (UNSETTLED.has(status) && !open.has(interrupt.id)) void look(interrupt.id).then(changed);
  };
  const look = async (id: string): Promise<InterruptEntry | undefined> => {
    if (withoutHost.has(client)) return undefined;
    const { entry, isReached } = await records.look(id);
    if (!isReached) {
      void loadRecords();
      return undefined;
    }
    if (entry?.status === 'answered' || entry?.status === 'claimed') unsettled.add(id);
    else unsettled.delete(id);
    return entry;
  };
  const answeredBy = async (id: string) => (await look(id))?.answered ?? {};
  /**
   * Looks up an interrupt that the inbox list leaves out; undefined while it is still open, because the list may be
   * older.
   */
  const overNow = async (id: string) => {
    const entry = await look(id);
    if (entry === undefined || entry.status === 'pending' || entry.status === 'expired') return undefined;
    return { id, answered: entry.answered };
  };
  /** An interrupt is no longer open: its record is read, and the card stays when another screen answered. */
  const onClosed = async (interrupt: Interrupt) => {
    const { id } = interrupt;
    const isElsewhere = () => !own.has(id) && states.get(id)?.state !== 'lost';
    if (isElsewhere() && states.get(id)?.state !== 'answered')
      states.set(interrupt, { state: 'answered', answered: {} });
    const entry = await look(id);
    if (isElsewhere()) {
      if (entry?.answered === undefined) states.forget(id);
      else states.set(interrupt, { state: 'answered', answered: entry.answered });
    }
    changed();
    if (isElsewhere()) await sendComplete();
  };
  const onThread = () => {
    const { interrupts, status, messages } = thread.getSnapshot();
    const isEnd = wasRunning && status !== 'running';
    wasRunning = status === 'running';
    const open = new Map(interrupts.map((interrupt) => [interrupt.id, interrupt]));
    const closed = isReady ? [...openBefore].filter(([id]) => !open.has(id)) : [];
    // The record of a new interrupt says whether the viewer may answer it.
    for (const id of open.keys()) {
      if (openBefore.has(id)) continue;
      // An answer was taken back: the card is open again, and the next answer is news again.
      own.delete(id);
      if (states.get(id)?.state === 'answered') states.forget(id);
      if (records.get(id) === undefined) void look(id).then(changed);
    }
    openBefore = open;
    if (status !== 'running') taken.clear();
    for (const [, interrupt] of closed) void onClosed(interrupt);
    // A run shows no interrupt that a grant spared.
    const spared = isEnd ? sparedInterrupts(messages) : [];
    for (const id of spared) if (records.get(id) === undefined) void look(id).then(changed);
    if (status !== 'running' && closed.length === 0) for (const id of unsettled) void look(id).then(changed);
    changed();
  };
  /** Shows an answer that was not sent. One that did not reach the host says so until the host can be reached again. */
  const fail = (status: FailedStatus) => {
    const { interruptId } = status.entry;
    own.delete(interruptId);
    setStatus(interruptId, status);
    if (UNREACHED.has(status.error.code)) lookAgain(status, leaving.signal);
  };
  const lookAgain = (status: FailedStatus, signal: AbortSignal) => {
    const { entry } = status;
    const id = entry.interruptId;
    const look = async () => {
      const isReached = await client.inbox.get(threadId, id).then(
        () => true,
        (error: unknown) => !UNREACHED.has(toError(error).code),
      );
      const over = isReached ? await overNow(id) : undefined;
      // A retry is on its way, or the card is gone.
      if (signal.aborted || states.get(id) !== status) return;
      if (!isReached) {
        lookAgain(status, signal);
      } else if (over === undefined) {
        setStatus(id, { ...status, isReachable: true });
      } else {
        own.add(id);
        // The host may have taken the answer of this screen before the connection broke.
        if (over.answered === undefined || isSameAnswer(entry, over.answered)) states.forget(id);
        else setStatus(id, { state: 'lost', answered: over.answered, yours: entry });
        if (run === undefined) await refresh();
      }
    };
    setTimeout(() => {
      if (!signal.aborted && states.get(id) === status) void look();
    }, LOOK_MS);
  };
  /** Shows the answers of a run as taken as soon as the host says so: the run itself may take long. */
  const confirmTaken = async (next: Run, entries: readonly ResumeEntry[]) => {
    for await (const { event } of next) {
      if (event.type !== EventType.RUN_STARTED) continue;
      for (const entry of entries) {
        const { status, answered } = (await look(entry.interruptId)) ?? {};
        const isOver = status !== undefined && status !== 'pending' && status !== 'answered';
        if (isOver && run === next && isSameAnswer(entry, answered)) taken.add(entry.interruptId);
      }
      changed();
      return;
    }
  };

  const send = async (entries: readonly ResumeEntry[]) => {
    for (const entry of entries) {
      own.add(entry.interruptId);
      setStatus(entry.interruptId, { state: 'sending', entry });
    }
    await idle();
    const next = client.resume({ threadId }, entries);
    // Its errors are those of the run.
    confirmTaken(next, entries).catch(() => undefined);
    await finish(next, async (failure) => {
      const error = toError(failure);
      const isOver = error.code === 'INTERRUPT_CONFLICT' || error.code === 'INTERRUPT_UNKNOWN';
      const lost = error.details?.['interruptId'];
      for (const entry of entries) {
        const { interruptId } = entry;
        if (isOver && (lost ?? interruptId) === interruptId) {
          const known = await answeredBy(interruptId);
          const answered = known.status === undefined ? givenAnswerOf(error.details ?? {}) : known;
          setStatus(interruptId, { state: 'lost', answered: answered ?? {}, yours: entry });
        } else {
          fail({ state: 'failed', entry, error });
        }
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
    // After a reload, an answer is staged without a state of its card.
    const isStaged = (id: string) => staged.some(({ interruptId }) => interruptId === id);
    const isComplete = interrupts.every(
      ({ id }) => (states.get(id)?.state ?? 'staged') === 'staged' && isStaged(id),
    );
    if (interrupts.length > 0 && isComplete) await send(staged);
  };

  const conversation: Conversation = {
    threadId,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot() {
      if (snapshot !== undefined) return snapshot;
      const now = thread.getSnapshot();
      // Before the thread is read, its interrupts are those that this browser kept: another window may have answered them. Those of a
      // thread that the host does not show may be those of another viewer.
      const isHidden = isLoading || (isUnknown && now.messages.length === 0);
      const open = isHidden ? NONE : now.interrupts;
      const interrupts = taken.size === 0 ? open : open.filter(({ id }) => !taken.has(id));
      const cards = isHidden ? [] : states.cards({ interrupts, staged: now.staged });
      const isBusy = run !== undefined || unsaid > 0;
      const state = { isReady, isUnknown, isLoading, isBusy, trouble };
      snapshot = { ...now, interrupts, ...state, cards, records: records.list() };
      return snapshot;
    },
    open() {
      leaving = new AbortController();
      const { signal } = leaving;
      unsubscribe = thread.subscribe(onThread);
      isLoading = !isReady;
      loaded = new Promise((resolve) => {
        endLoading = () => {
          clearTimeout(late);
          if (isLoading) snapshot = undefined;
          isLoading = false;
          resolve();
        };
      });
      const late = setTimeout(() => {
        endLoading();
        changed();
      }, LONGEST_WAIT_MS);
      void loadRecords();
      const onShown = () => {
        // The thread is here, so the server can be reached again.
        if (HoldpointError.is(trouble, 'RUN_LOST')) trouble = undefined;
        else if (isReady) return;
        isReady = true;
        isUnknown = false;
        endLoading();
        changed();
        lookAtClosed();
      };
      // A thread that this client has shown before sends no event when it is watched again.
      if (thread.getSnapshot().messages.length > 0) onShown();
      const onUnknown = () => {
        if (isReady || isUnknown) return;
        isUnknown = true;
        // A message begins the thread.
        endLoading();
        changed();
      };
      const onNoHost = async () => {
        withoutHost.add(client);
        // Only some servers can show a thread. The next message reports a server that fails.
        if (!isNew) await client.connect(threadId, { signal }).finished.catch(() => undefined);
        if (!signal.aborted) onShown();
      };
      if (withoutHost.has(client)) void onNoHost();
      else
        void followThread(client, { threadId, onShown, onUnknown, onNoHost: () => void onNoHost() }, signal);
    },
    close() {
      leaving.abort();
      unsubscribe();
      endLoading();
    },
    async say(text) {
      states.clear('lost', 'answered');
      const before = said;
      const send = async () => {
        await before.catch(() => undefined);
        // A message that is sent before the thread is shown would appear above the earlier ones.
        await loaded;
        await idle();
        const { interrupts, messages, staged } = thread.getSnapshot();
        // An answer that waits for the other ones is sent: only open requests are cancelled.
        const given = new Map(
          states
            .cards({ interrupts, staged })
            .flatMap(({ status }) =>
              status.state === 'staged' ? [[status.entry.interruptId, status.entry] as const] : [],
            ),
        );
        const resume = interrupts.map((interrupt) => given.get(interrupt.id) ?? cancel(interrupt));
        for (const { interruptId } of resume) own.add(interruptId);
        const request = { threadId, messages: text, ...(resume.length === 0 ? {} : { resume }) };
        await finish(client.run(request), showTrouble);
        const known = new Set(messages.map(({ id }) => id));
        const isTaken = () =>
          thread.getSnapshot().messages.some(({ id, role }) => role === 'user' && !known.has(id));
        for (let more = CONFLICT_TRIES; more > 0 && HoldpointError.is(trouble, 'RUN_CONFLICT'); more -= 1) {
          await otherRun();
          // New interrupts wait for the person. They are not cancelled for a message that was written before.
          if (leaving.signal.aborted || thread.getSnapshot().interrupts.length > 0) return;
          // A message that the thread shows is sent with it.
          await finish(client.run(isTaken() ? { threadId } : { threadId, messages: text }), showTrouble);
        }
      };
      unsaid += 1;
      changed();
      said = send().finally(() => {
        unsaid -= 1;
        changed();
      });
      await said;
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
        fail({ state: 'failed', entry, error: toError(failure) });
        return;
      }
      // The thread may have been shown anew in between, without the staged answers: this one is sent in any case.
      const { staged } = thread.getSnapshot();
      await send([...staged.filter((one) => one.interruptId !== interruptId), entry]);
    },
    async retry(interruptId) {
      const { cards } = conversation.getSnapshot();
      const status = cards.find(({ interrupt }) => interrupt.id === interruptId)?.status;
      if (status?.state !== 'failed') return;
      await (status.isWithdrawal === true
        ? conversation.withdraw(interruptId)
        : conversation.answer(status.entry));
    },
    dismiss(interruptId) {
      own.add(interruptId);
      // The thread may still show the interrupt as open.
      if (openInterrupt(interruptId) !== undefined) taken.add(interruptId);
      states.forget(interruptId);
      changed();
    },
    async withdraw(interruptId) {
      const interrupt = openInterrupt(interruptId);
      if (interrupt === undefined) return;
      const entry = cancel(interrupt);
      own.add(interruptId);
      setStatus(interruptId, { state: 'sending', entry });
      try {
        await client.inbox.withdraw(threadId, interruptId);
      } catch (failure) {
        const error = toError(failure);
        if (error.code === 'INTERRUPT_CONFLICT') {
          setStatus(interruptId, { state: 'lost', answered: await answeredBy(interruptId) });
        } else {
          fail({ state: 'failed', entry, error, isWithdrawal: true });
          return;
        }
      }
      await idle();
      await refresh();
      if (states.get(interruptId)?.state === 'sending') states.forget(interruptId);
      await look(interruptId);
      changed();
    },
    async askAgain(interruptId) {
      own.add(interruptId);
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
      const { runId } = thread.getSnapshot();
      const newest = run ?? (runId === undefined ? undefined : { threadId, runId });
      if (newest !== undefined) await client.stop(newest);
    },
    async seen(items) {
      const { interrupts, status } = thread.getSnapshot();
      if (!isReady || run !== undefined || status === 'running') return;
      const here = items.filter((item) => item.threadId === threadId).map(({ interrupt }) => interrupt.id);
      const missing = interrupts.filter(({ id }) => !here.includes(id));
      const gone = await Promise.all(missing.map(({ id }) => overNow(id)));
      if (gone.every((one) => one === undefined) && here.length <= interrupts.length) return;
      for (const one of gone)
        // An interrupt that was asked again has no answer.
        if (one?.answered !== undefined && !own.has(one.id))
          setStatus(one.id, { state: 'answered', answered: one.answered });
      if (run === undefined) await refresh();
      await sendComplete();
    },
  };
  return conversation;
}

const NONE: readonly Interrupt[] = [];

/** States of an interrupt whose call is not over. */
const UNSETTLED: ReadonlySet<string> = new Set(['pending', 'answered', 'claimed']);

/** Codes of an answer that did not reach the host. */
const UNREACHED: ReadonlySet<string> = new Set(['RUN_LOST', 'UNAVAILABLE']);

function isSameAnswer(entry: ResumeEntry, answered: InterruptEntry['answered']): boolean {
  const text = ({ status, payload }: { readonly status?: string; readonly payload?: unknown }) =>
    canonicalJson({ status: status ?? '', payload: payload ?? null });
  return answered !== undefined && text(entry) === text(answered);
}

function toError(error: unknown): HoldpointError {
  if (HoldpointError.is(error)) return error;
  // A part of the app that is loaded on demand could not be loaded.
  if (error instanceof TypeError && /import|module/i.test(error.message))
    return new HoldpointError('RUN_LOST', 'The server could not be reached.', { cause: error });
  return new HoldpointError('INTERNAL', 'The request failed.', { cause: error });
}
