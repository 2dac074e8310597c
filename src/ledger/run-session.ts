import type { JsonValue } from '../core/index.ts';
import { faultPoint, hasFaultHook, HoldpointError, nextTurn } from '../core/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { Store } from '../store/index.ts';
import type { ClaimedRun, Lease } from './begin-request.ts';
import { assertLease, lost } from './end-run.ts';
import type { Moment } from './held-lease.ts';
import { currentMoment, elapsedMs, holdLease } from './held-lease.ts';
import type { RunStatus } from './records.ts';
import type { EndRun, RunChange } from './run-change.ts';
import { assertKeepable, toThreadChange } from './run-change.ts';
import { prepareChange } from './thread-change.ts';
import type { ReadThread } from './thread-view.ts';
import { readView } from './thread-view.ts';
import { workOnThread } from './thread-work.ts';

/** The one way by which a run writes: each write holds only while the lease is its own. */
export interface RunSession {
  readonly lease: Lease;
  /** Fires with `RUN_LOST` when another run has taken over, or when nobody knows any more. */
  readonly signal: AbortSignal;
  /** Somebody wants the run to stop. */
  readonly cancelledBy: string | undefined;
  /** The store's time, reckoned from when it was last told. */
  now(): number;
  /** Writes a change. Durable when it resolves; changes of the same turn of the event loop share one commit. */
  keep(change: RunChange): Promise<void>;
  /** The last write: the end of the run and all that is not yet written, in one commit. */
  end(end: EndRun): Promise<void>;
  /**
   * Opens the log of events. Each event is written with the next change, or alone after 20 ms; an event that ends the run is
   * written with the end and never before. `toItems` gives the stored form of events.
   */
  openLog(toItems: ToLogItems): (event: AgentStreamEvent) => void;
  /** Throws `RUN_LOST` unless the lease is certainly held now: asked right before something is done that cannot be undone. */
  assertHeld(): void;
  /** Looks whether somebody changed the thread meanwhile. */
  refresh(): Promise<void>;
  /** Gives up without a word: another process finds the run when its lease is over. */
  abandon(): void;
  /** Gives up in order: what was being written is, and another process can take the run up at once. */
  handOver(): Promise<void>;
}

/** The stored form of events that are written with a change. */
export type ToLogItems = (events: readonly AgentStreamEvent[], change: RunChange) => readonly JsonValue[];

export interface SessionOptions {
  /** Called once: with the outcome when the end is written, or with `lost` when the run loses its lease or gives it up. */
  readonly onOutcome?: ((outcome: RunStatus) => void) | undefined;
}

/** Milliseconds that an event waits for other changes at most. */
const LOG_DELAY_MS = 20;

interface Write {
  readonly change: RunChange | (() => RunChange);
  readonly end?: EndRun;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Opens the session of a run that has begun; it keeps the lease by itself until it is ended. */
export function openSession(store: Store, run: ClaimedRun, { onOutcome }: SessionOptions = {}): RunSession {
  const { lease, leaseMs } = run;
  const held = holdLease(leaseMs, run.since);
  const stop = new AbortController();
  let read: ReadThread = run.thread;
  let readAt = currentMoment();
  /** How long before `readAt`, at most, the store's time was read that `read` has. */
  let lagMs = elapsedMs(run.since, readAt);
  let queue: Write[] = [];
  let busy: Promise<void> | undefined;
  let over = false;

  let toItems: ToLogItems | undefined;
  /** Events that are not written yet. */
  let due: AgentStreamEvent[] = [];
  let logTimer: ReturnType<typeof setTimeout> | undefined;
  let isFlushing = false;

  const close = (outcome: RunStatus) => {
    if (!over) onOutcome?.(outcome);
    over = true;
    clearInterval(heartbeat);
    clearTimeout(logTimer);
  };
  const lose = (error: HoldpointError) => {
    close('lost');
    if (!stop.signal.aborted) stop.abort(error);
  };
  /** A database that was restored or replaced meanwhile knows nothing of this run, or an earlier state of it. */
  const isSameDatabase = () => store.incarnation?.id === run.thread.view.thread?.database;
  const assertSameDatabase = (cause?: unknown) => {
    if (!isSameDatabase()) throw lost(lease, cause);
  };
  const heard = (askedAt: Moment, next: ReadThread) => {
    read = next;
    readAt = currentMoment();
    lagMs = elapsedMs(askedAt, readAt);
  };
  /** `raised`: a question without an id of its own takes the place of one that is over. */
  const reread = async (raised: EndRun['questions'] = []) => {
    const interruptIds = [...read.view.interrupts.keys(), ...raised.map(({ interrupt }) => interrupt.id)];
    const askedAt = currentMoment();
    heard(askedAt, await readView(store, { key: lease.key, interruptIds }));
  };
  /** The store's time at a moment, without asking it. */
  const storeTime = ({ steady }: Moment) => Math.round(read.view.now + (steady - readAt.steady));

  const commit = async (writes: readonly Write[]): Promise<void> => {
    const changes: RunChange[] = [];
    let end: EndRun | undefined;
    for (const { change, end: last } of writes) {
      if (last === undefined) changes.push(typeof change === 'function' ? change() : change);
      else end ??= last;
    }
    const expected = (read.view.thread?.active?.writes ?? 0) + 1;
    let inDoubt = false;
    for (;;) {
      const { thread } = read.view;
      assertSameDatabase();
      assertLease(thread, lease);
      const { active } = thread;
      if (active === undefined) return;
      const at = currentMoment();
      const now = storeTime(at);
      const renewed = { ...active, leaseUntil: now + leaseMs, writes: expected };
      const { key, interrupts } = read.view;
      const view = { key, now, thread: { ...thread, active: renewed }, interrupts };
      const change = toThreadChange(view, lease, { changes, end });
      const { batch, after } = prepareChange({ ...read, view }, change);
      try {
        if (hasFaultHook()) await faultPoint(end === undefined ? 'keep:before-commit' : 'end:before-commit');
        const committed = await store.commit(batch);
        if (hasFaultHook()) await faultPoint(end === undefined ? 'keep:after-commit' : 'end:after-commit');
        if (committed.ok) {
          // The lease was counted from a time that is up to `lagMs` behind the store's.
          held.renewed({ steady: at.steady - lagMs, wall: at.wall - lagMs });
          heard(at, { ...after, view: { ...after.view, now: committed.now } });
          return;
        }
      } catch (error) {
        assertSameDatabase(error);
        if (!HoldpointError.is(error, 'STORE_FAILED') || !held.isHeld()) throw error;
        inDoubt = true;
        await pause(Math.min(200, held.left()));
      }
      await reread(end?.questions).catch((error: unknown) => {
        if (!HoldpointError.is(error, 'STORE_FAILED') || !held.isHeld()) throw error;
      });
      if (inDoubt && hasHeld(read, lease, { expected, ends: end !== undefined })) return;
    }
  };

  const flush = async (isEnd: boolean): Promise<void> => {
    // What is written in the same turn of the event loop belongs together; behind an end nothing comes.
    if (!isEnd) await nextTurn();
    while (queue.length > 0) {
      const taken = queue;
      queue = [];
      try {
        await commit(taken);
        for (const { done } of taken) done();
      } catch (error) {
        // What was to be written is not: the run cannot go on as if it were.
        lose(HoldpointError.is(error) ? error : lost(lease, error));
        for (const { failed } of taken) failed(error);
      }
    }
    busy = undefined;
  };
  const write = (change: Write['change'], end?: EndRun): Promise<void> => {
    const written = new Promise<void>((done, failed) => {
      if (over) failed(lost(lease));
      else queue.push({ change, done, failed, ...(end === undefined ? {} : { end }) });
    });
    // Whoever does not wait for a write learns of its failure by the signal.
    written.catch(() => undefined);
    if (queue.length > 0) busy ??= flush(end !== undefined);
    return written;
  };

  /** A change with the events that are due. */
  const withEvents = <Change extends RunChange>(change: Change): Change => {
    if (toItems === undefined) return change;
    clearTimeout(logTimer);
    logTimer = undefined;
    isFlushing = false;
    const end = 'outcome' in change ? -1 : due.findIndex(endsRun);
    const events = toItems(end === -1 ? due : due.slice(0, end), change);
    due = end === -1 ? [] : due.slice(end);
    return { ...change, events };
  };
  const flushLog = () => {
    logTimer = undefined;
    isFlushing = true;
    // Evaluated when the commit is made: it has the events until then, unless another write has taken them.
    void write(() => (isFlushing ? withEvents({}) : {}));
  };

  const beat = async () => {
    if (busy !== undefined || over) return;
    await write({}).catch(() => undefined);
  };
  const heartbeat = setInterval(() => void beat(), Math.max(1, leaseMs / 3));
  unref(heartbeat);

  return {
    lease,
    signal: stop.signal,
    get cancelledBy() {
      return read.view.thread?.active?.cancelledBy;
    },
    now: () => storeTime(currentMoment()),
    keep: (change) => write(withEvents(change)),
    async end(end) {
      assertKeepable(end.questions ?? [], end.vault);
      if (end.outcome === 'error' && toItems !== undefined) {
        // An end that was refused is not shown: the error takes its place.
        due = due.filter(({ type }) => type !== EventType.RUN_FINISHED);
        const { message = 'The run failed.', code = 'INTERNAL' } = end.error ?? {};
        if (due.at(-1)?.type !== EventType.RUN_ERROR) due.push({ type: EventType.RUN_ERROR, message, code });
      }
      await write({}, withEvents(end));
      close(end.outcome);
    },
    openLog(given) {
      toItems = given;
      let isFirst = true;
      return (event) => {
        due.push(event);
        // Readers learn at once that the run has begun.
        if (isFirst) flushLog();
        else if (!isFlushing) logTimer ??= setTimeout(flushLog, LOG_DELAY_MS);
        isFirst = false;
      };
    },
    assertHeld() {
      if (!over && held.isHeld() && isSameDatabase()) return;
      const error = lost(lease);
      lose(error);
      throw error;
    },
    async refresh() {
      if (busy === undefined && !over) await reread();
    },
    abandon() {
      lose(lost(lease));
    },
    async handOver() {
      lose(lost(lease));
      // What is on its way would keep the lease again.
      await busy;
      await endLease(store, lease);
    },
  };
}

/** Whether a commit that nobody heard of again was made all the same. */
function hasHeld(
  { view }: ReadThread,
  lease: Lease,
  { expected, ends }: { readonly expected: number; readonly ends: boolean },
): boolean {
  const { thread } = view;
  if (thread?.epoch !== lease.epoch || thread.lastRun !== lease.runId) return false;
  return ends ? thread.active === undefined : thread.active?.writes === expected;
}

function endsRun({ type }: AgentStreamEvent): boolean {
  return type === EventType.RUN_FINISHED || type === EventType.RUN_ERROR;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(1, milliseconds));
  });
}

/** Where timers can hold up the end of a process, this one does not. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref();
  }
}

/** Ends a lease early, so that another process can continue the run at once. A lease that is over stays as it is. */
function endLease(store: Store, { key, runId, epoch }: Lease): Promise<void> {
  return workOnThread(store, { key, interruptIds: [] }, ({ thread, now }) => {
    const active = thread?.active;
    const isOurs = active?.runId === runId && thread?.epoch === epoch;
    if (thread === undefined || active === undefined || !isOurs || active.leaseUntil <= now) {
      return { result: undefined };
    }
    return { change: { thread: { ...thread, active: { ...active, leaseUntil: now } } }, result: undefined };
  });
}
