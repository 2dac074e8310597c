import { present } from '../../core/basics/index.ts';
import { createApplierWith } from '../../protocol/apply/index.ts';
import { applyRareEvent } from '../../protocol/apply/rare/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { runFailure } from '../failures.ts';
import { patches } from '../stream/frame-decoder.ts';
import type { Origin } from './event-order.ts';
import { createEventOrder } from './event-order.ts';
import type { Kept } from './kept-questions.ts';
import { readQuestions, writeQuestions } from './kept-questions.ts';
import type { Thread, ThreadSnapshot } from './thread.ts';

/** What this client knows of a thread, and everything that changes it. */
export interface ThreadStore extends Thread {
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The open questions; undefined when nobody has told yet. */
  readonly open: readonly Interrupt[] | undefined;
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  /** The newest id of the thread's events that was applied. */
  readonly lastId: string | undefined;
  /** The run of this client that is at work here. */
  active: object | undefined;
  /** Brings back what was kept, once. */
  restore(): Promise<void>;
  add(messages: readonly Message[]): void;
  /** A run begins with this state: what the server sends of changes is about it. */
  setState(state: unknown): void;
  stage(entries: readonly ResumeEntry[]): void;
  /** The server is asked for events of this stream now. */
  ask(stream: object): void;
  /** Applies an event. False for one that another stream has brought already, or that shows less than that: it does nothing. */
  receive(event: AgentStreamEvent, origin: Origin): boolean;
  /** The runs that a request of this client has brought from their beginning. */
  readonly runs: Set<string>;
  /** A run of ours began, or ended without an event that says how. */
  progress(progress: Progress): void;
  /** A run is over, and leaves what is open as it was. */
  settle(runId: string): void;
  /** Tells the listeners. */
  changed(): void;
  /** Keeps the questions as they are now. */
  save(): Promise<void>;
}

export type Progress = Pick<ThreadSnapshot, 'status' | 'runId' | 'result' | 'usage' | 'error'>;

export interface ThreadStoreOptions {
  readonly warn: (warning: string) => void;
  readonly kept: Kept | undefined;
}

export function createThreadStore(threadId: string, { warn, kept }: ThreadStoreOptions): ThreadStore {
  const applier = createApplierWith(
    {
      patch: (document, operations, owned) => patches.need().patchJson(document, operations, owned),
      applyRare: applyRareEvent,
    },
    { onWarning: warn },
  );
  const listeners = new Set<() => void>();
  let progress: Progress = { status: 'idle' };
  let open: readonly Interrupt[] | undefined;
  let staged: ReadonlyMap<string, ResumeEntry> = new Map();
  let snapshot: ThreadSnapshot | undefined;
  const order = createEventOrder();
  let restored: Promise<void> | undefined;

  const setOpen = (interrupts: readonly Interrupt[]) => {
    open = interrupts;
    const ids = new Set(interrupts.map(({ id }) => id));
    staged = new Map([...staged].filter(([id]) => ids.has(id)));
  };
  const note = (event: AgentStreamEvent) => {
    if (event.type === 'RUN_STARTED') {
      progress = { status: 'running', runId: event.runId };
    } else if (event.type === 'RUN_FINISHED') {
      const { runId, result, usage, outcome } = event;
      const isInterrupted = outcome?.type === 'interrupt';
      setOpen(isInterrupted ? outcome.interrupts : []);
      progress = { status: isInterrupted ? 'interrupted' : 'idle', ...present({ runId, result, usage }) };
    } else if (event.type === 'RUN_ERROR') {
      progress = { ...progress, status: 'failed', error: runFailure(event) };
    }
  };
  const store: ThreadStore = {
    threadId,
    runs: new Set(),
    active: undefined,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () =>
      (snapshot ??= {
        threadId,
        ...progress,
        messages: applier.messages,
        state: applier.state,
        interrupts: open ?? [],
        staged: [...staged.values()],
      }),
    get messages() {
      return applier.messages;
    },
    get state() {
      return applier.state;
    },
    get open() {
      return open;
    },
    get staged() {
      return staged;
    },
    get lastId() {
      return order.lastId;
    },
    restore() {
      restored ??= (async () => {
        const found = kept === undefined ? undefined : await readQuestions(kept, warn);
        if (found === undefined || open !== undefined) return;
        staged = new Map(found.staged.map((entry) => [entry.interruptId, entry]));
        setOpen(found.interrupts);
        if (progress.status === 'idle') progress = { status: 'interrupted' };
        store.changed();
      })();
      return restored;
    },
    add(messages) {
      // Copies, since what the applier holds it may change.
      applier.add(messages.map((message) => ({ ...message })));
    },
    setState(state) {
      applier.setState(state);
    },
    stage(entries) {
      staged = new Map([...staged, ...entries.map((entry) => [entry.interruptId, entry] as const)]);
      store.changed();
    },
    ask: (stream) => order.ask(stream),
    receive(event, origin) {
      const { events, isOld } = order.take(event, origin);
      for (const one of events) {
        if (!isOld) {
          applier.apply(one);
          note(one);
        }
        // A run that only showed what is known already, or less, is over too.
        else if (one.type === 'RUN_FINISHED' && progress.runId === one.runId) store.settle(one.runId);
      }
      return isOld !== true;
    },
    progress(next) {
      progress = next;
      store.changed();
    },
    settle(runId) {
      store.progress({ status: open?.length ? 'interrupted' : 'idle', runId });
    },
    changed() {
      snapshot = undefined;
      for (const listener of listeners) listener();
    },
    async save() {
      if (open === undefined || kept === undefined) return;
      await writeQuestions(kept, { interrupts: open, staged: [...staged.values()] }, warn);
    },
  };
  return store;
}
