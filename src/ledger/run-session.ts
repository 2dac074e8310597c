import { faultPoint, hasFaultHook, HoldpointError, nextTurn } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { Lease, StartedRun } from './begin-request.ts';
import { endLease } from './end-lease.ts';
import { assertLease, lost } from './end-run.ts';
import type { Moment } from './held-lease.ts';
import { currentMoment, elapsedMs, holdLease } from './held-lease.ts';
import { toThreadChange } from './run-change.ts';
import type { EndRun, RunChange } from './run-writes.ts';
import { assertKeepable } from './kept-secrets.ts';
import type { ReadThread } from './thread-view.ts';
import { prepareChange } from './thread-change.ts';
import { readView } from './thread-view.ts';

/** The one way by which a run writes: each write holds only while the lease is its own. */
export interface RunSession {
  readonly lease: Lease;
  /** Fires with `RUN_LOST` when another run has taken over, or when nobody knows any more. */
  readonly signal: AbortSignal;
  /** Somebody wants the run to stop. */
  readonly cancelledBy: string | undefined;
  /** The store's time, reckoned from when it was last told. */
  now(): number;
  /**
   * Keeps a change. Durable when it resolves; changes that are made together share one commit. A function is asked when that
   * commit is made, for what has come until then.
   */
  keep(change: RunChange | (() => RunChange)): Promise<void>;
  /** The last write: with what was not yet written, in one commit. */
  end(end: EndRun): Promise<void>;
  /** Throws `RUN_LOST` unless the lease is certainly held now: asked right before something is done that cannot be undone. */
  assertHeld(): void;
  /** Looks whether somebody changed the thread meanwhile. */
  refresh(): Promise<void>;
  /** Gives up without a word: another process finds the run when its lease is over. */
  abandon(): void;
  /** Gives up in order: what was being written is, and another process can take the run up at once. */
  handOver(): Promise<void>;
}

export interface SessionOptions {
  readonly leaseMs: number;
}

interface Write {
  readonly change: RunChange | (() => RunChange);
  readonly end?: EndRun;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Opens the session of a run that has begun; it keeps the lease by itself until it is ended. */
export function openSession(store: Store, started: StartedRun, options: SessionOptions): RunSession {
  const { lease } = started;
  const { leaseMs } = options;
  const held = holdLease(leaseMs, started.since);
  const stop = new AbortController();
  let read: ReadThread = started.thread;
  let readAt = currentMoment();
  /** How long before `readAt`, at most, the store's time was read that `read` has. */
  let lagMs = elapsedMs(started.since, readAt);
  let queue: Write[] = [];
  let busy: Promise<void> | undefined;
  let over = false;

  const lose = (error: HoldpointError) => {
    over = true;
    clearInterval(heartbeat);
    if (!stop.signal.aborted) stop.abort(error);
  };
  /** A database that was restored or replaced meanwhile knows nothing of this run, or an earlier state of it. */
  const isSameDatabase = () => store.incarnation?.id === started.thread.view.thread?.database;
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
    keep: (change) => write(change),
    async end(end) {
      assertKeepable(end.questions ?? [], end.vault);
      await write({}, end);
      over = true;
      clearInterval(heartbeat);
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
