import type { HoldpointError } from '../../core/index.ts';
import { defined } from '../../core/index.ts';
import type { AgentStreamEvent, Interrupt, Message, ResumeEntry, TokenUsage } from '../../protocol/index.ts';
import { createApplierWith } from '../../protocol/apply/applier.ts';
import { runFailure } from '../failures.ts';
import { patches } from '../stream/frame-decoder.ts';
import type { Origin } from './event-order.ts';
import { createEventOrder } from './event-order.ts';
import type { Kept } from './kept-interrupts.ts';
import { readKeptInterrupts, writeKeptInterrupts } from './kept-interrupts.ts';

/** The status of a thread, as known to this client. */
export type ThreadStatus = 'idle' | 'running' | 'interrupted' | 'failed';

/** A thread at one moment. Snapshots never change; unchanged parts are the same objects in the next snapshot. */
export interface ThreadSnapshot {
  /** Id of the thread. */
  readonly threadId: string;
  /** Status of the thread. */
  readonly status: ThreadStatus;
  /** Id of the newest run. */
  readonly runId?: string;
  /** The messages. */
  readonly messages: readonly Message[];
  /** The state. */
  readonly state: unknown;
  /** The open interrupts. */
  readonly interrupts: readonly Interrupt[];
  /** Answers that wait until every open interrupt has one. */
  readonly staged: readonly ResumeEntry[];
  /** The result of the newest run. */
  readonly result?: unknown;
  /** Tokens that the newest run used. */
  readonly usage?: readonly TokenUsage[];
  /** The error of the newest run. */
  readonly error?: HoldpointError;
}

/** A thread, for a user interface: `useSyncExternalStore(thread.subscribe, thread.getSnapshot)`. */
export interface Thread {
  /** Id of the thread. */
  readonly threadId: string;
  /** Calls the listener once for all changes that arrive together; returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  /** The thread at this moment. */
  readonly getSnapshot: () => ThreadSnapshot;
}

/** The state of a thread in this client, and every change to it. */
export interface ThreadStore extends Thread {
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The open interrupts; undefined before the first report of them. */
  readonly open: readonly Interrupt[] | undefined;
  readonly staged: ReadonlyMap<string, ResumeEntry>;
  /** The newest applied event id. */
  readonly lastId: string | undefined;
  /** The active run of this client on this thread. */
  active: object | undefined;
  /** Restores the stored interrupts, once. */
  restore(): Promise<void>;
  add(messages: readonly Message[]): void;
  /** Sets the state of a new run; later changes from the server apply to it. */
  setState(state: unknown): void;
  stage(entries: readonly ResumeEntry[]): void;
  /** Call when the server is asked for this stream. */
  ask(stream: object): void;
  /**
   * Applies an event. Returns false, and changes nothing, for an event that another stream has brought already or
   * that shows less.
   */
  receive(event: AgentStreamEvent, origin: Origin): boolean;
  /** Ids of the runs that a request of this client has read from their start. */
  readonly runs: Set<string>;
  /** Reports that a run of this client started, or ended without an end event. */
  progress(progress: Progress): void;
  /** Ends a run without a change to the open interrupts. */
  settle(runId: string): void;
  /** Calls the listeners. */
  changed(): void;
  /** Stores the current interrupts. */
  save(): Promise<void>;
}

type Progress = Pick<ThreadSnapshot, 'status' | 'runId' | 'result' | 'usage' | 'error'>;

interface ThreadStoreOptions {
  readonly warn: (warning: string) => void;
  readonly kept: Kept | undefined;
}

/** Creates the store of one thread. */
export function createThreadStore(threadId: string, { warn, kept }: ThreadStoreOptions): ThreadStore {
  const applier = createApplierWith((...patch) => patches.need().patchJson(...patch), { onWarning: warn });
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
      progress = { status: isInterrupted ? 'interrupted' : 'idle', ...defined({ runId, result, usage }) };
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
        const found = kept === undefined ? undefined : await readKeptInterrupts(kept, warn);
        if (found === undefined || open !== undefined) return;
        staged = new Map(found.staged.map((entry) => [entry.interruptId, entry]));
        setOpen(found.interrupts);
        if (progress.status === 'idle') progress = { status: 'interrupted' };
        store.changed();
      })();
      return restored;
    },
    add(messages) {
      // Copies, because the applier changes the messages that it holds.
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
        // A run that shows only known events ends too.
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
      await writeKeptInterrupts(kept, { interrupts: open, staged: [...staged.values()] }, warn);
    },
  };
  return store;
}
