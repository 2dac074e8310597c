import type { JsonValue } from '../core/index.ts';
import { defined, faultPoint, hasFaultHook, HoldpointError, nextTurn } from '../core/index.ts';
import type { AgentStreamEvent } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { CommitResult, Store } from '../store/index.ts';
import { noteChange } from './anchor.ts';
import type { ClaimedRun } from './begin-request.ts';
import type { Lease, Moment } from './lease.ts';
import { assertLease, currentMoment, elapsedMs, holdLease, lost } from './lease.ts';
import type { RunStatus } from './records.ts';
import type { EndRun, GrantedStart, GrantUses, RunChange } from './run-change.ts';
import { assertKeepable, readGrantUses, toThreadChange } from './run-change.ts';
import { prepareChange } from './thread-change.ts';
import type { ReadThread } from './thread-view.ts';
import { readView } from './thread-view.ts';
import { workOnThread } from './thread-work.ts';

/** The only way for a run to write. Each write needs the lease. */
export interface RunSession {
  readonly lease: Lease;
  /** Fires with `RUN_LOST` when another run has taken over, or when the lease is no longer certain. */
  readonly signal: AbortSignal;
  /** The id of the principal who asked the run to stop. */
  readonly cancelledBy: string | undefined;
  /** The time of the store, computed from its last known value. */
  now(): number;
  /** Writes a change; durable when it resolves. Changes of the same turn of the event loop share one commit. */
  keep(change: RunChange): Promise<void>;
  /**
   * Writes a change with the start of a call by a grant, and counts the use in the same commit. Returns false, and writes
   * the change without the start, if the grant no longer allows the call.
   */
  start(change: RunChange & { readonly granted: GrantedStart }): Promise<boolean>;
  /** The last write: the end of the run and all pending changes, in one commit. */
  end(end: EndRun): Promise<void>;
  /**
   * Opens the log of events. Each event is written with the next change, or alone after 20 ms; an event that ends the run is
   * written with the end and never before. `toItems` gives the stored form of events.
   */
  openLog(toItems: ToLogItems): (event: AgentStreamEvent) => void;
  /**
   * Throws `RUN_LOST` unless the run certainly holds the lease. Called right before an action that cannot be undone.
   */
  assertHeld(): void;
  /** Reads the thread again, to see changes of others. */
  refresh(): Promise<void>;
  /** Gives up without a write. Another process finds the run when its lease ends. */
  abandon(): void;
  /** Gives up after the pending writes. Another process can continue the run at once. */
  handOver(): Promise<void>;
}

/** The stored form of events that are written with a change. */
export type ToLogItems = (events: readonly AgentStreamEvent[], change: RunChange) => readonly JsonValue[];

export interface SessionOptions {
  /** Called once: with the outcome when the end is written, or with `lost` when the run loses its lease or gives it up. */
  readonly onOutcome?: ((outcome: RunStatus) => void) | undefined;
}

type Started = GrantUses['started'];
const NO_USES: GrantUses = { started: new Map(), puts: [] };

/** Milliseconds that an event waits for other changes at most. */
const LOG_DELAY_MS = 20;

interface Write {
  readonly change: RunChange | (() => RunChange);
  readonly end?: EndRun;
  /** `started`: the calls that their grants allowed. */
  readonly done: (started: Started) => void;
  readonly failed: (error: unknown) => void;
}

/** Opens the session of a claimed run. It renews the lease until the run ends. */
export function openSession(store: Store, run: ClaimedRun, { onOutcome }: SessionOptions = {}): RunSession {
  const { lease, leaseMs } = run;
  const held = holdLease(leaseMs, run.since);
  const stop = new AbortController();
  let read: ReadThread = run.thread;
  let readAt = currentMoment();
  /** The maximum age that the time in `read` had at `readAt`. */
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
  /** A database that was restored or replaced does not know this run, or knows an earlier state of it. */
  const isSameDatabase = () => store.incarnation?.id === run.database;
  const assertSameDatabase = (cause?: unknown) => {
    if (!isSameDatabase()) throw lost(lease, cause);
  };
  const heard = (askedAt: Moment, next: ReadThread) => {
    read = next;
    readAt = currentMoment();
    lagMs = elapsedMs(askedAt, readAt);
  };
  const reread = async (further: readonly string[] = []) => {
    const interruptIds = [...read.view.interrupts.keys(), ...further];
    const askedAt = currentMoment();
    heard(askedAt, await readView(store, { key: lease.key, interruptIds }));
  };
  /** The time of the store at a moment, without a request. */
  const storeTime = ({ steady }: Moment) => Math.round(read.view.now + (steady - readAt.steady));

  const commit = async (writes: readonly Write[]): Promise<Started> => {
    const changes: RunChange[] = [];
    let end: EndRun | undefined;
    for (const { change, end: last } of writes) {
      if (last === undefined) changes.push(typeof change === 'function' ? change() : change);
      else end ??= last;
    }
    const starts = changes.flatMap(({ granted }) => granted ?? []);
    const failedByGrant = changes.flatMap((change) => change.failedByGrant ?? []);
    const raised = end?.raised ?? [];
    // The outcomes of calls are also those of interrupts that earlier runs have settled.
    const settled = [
      ...failedByGrant,
      ...raised.flatMap(({ follows = [] }) => follows),
      ...[...read.view.interrupts.values()].flatMap(({ earlier = [] }) => earlier),
    ];
    // An interrupt without an id of its own replaces one that is closed.
    const further = [...raised.map(({ interrupt }) => interrupt.id), ...settled];
    /** False while the store fails; throws when the lease is no longer certain. */
    const tryReread = () =>
      reread(further).then(
        () => true,
        (error: unknown) => {
          if (!HoldpointError.is(error, 'STORE_FAILED') || !held.isHeld()) throw error;
          return false;
        },
      );
    const isRead = (id: string) => read.view.interrupts.has(id);
    if (!settled.every(isRead)) while (!(await tryReread())) await pause(Math.min(200, held.left()));
    let uses = NO_USES;
    const expected = (read.view.thread?.active?.writes ?? 0) + 1;
    let inDoubt = false;
    for (;;) {
      const { thread } = read.view;
      assertSameDatabase();
      assertLease(thread, lease);
      const { active } = thread;
      if (active === undefined) return NO_USES.started;
      const at = currentMoment();
      const now = storeTime(at);
      const renewed = { ...active, leaseUntil: now + leaseMs, writes: expected };
      const { key, interrupts } = read.view;
      const view = { key, now, thread: { ...thread, active: renewed }, interrupts };
      try {
        if (starts.length > 0) uses = await readGrantUses(store, { scope: key.scope, now }, starts);
        const change = toThreadChange(view, lease, { changes, end, uses });
        const { batch, after } = prepareChange({ ...read, view }, change);
        if (hasFaultHook()) await faultPoint(end === undefined ? 'keep:before-commit' : 'end:before-commit');
        let committed: CommitResult;
        try {
          committed = await store.commit(batch);
        } finally {
          // Also a commit with an unknown outcome may have changed the history.
          noteChange(store, key, batch);
        }
        if (hasFaultHook()) await faultPoint(end === undefined ? 'keep:after-commit' : 'end:after-commit');
        if (committed.ok) {
          // The lease counts from a time that is up to `lagMs` behind the store.
          held.renewed({ steady: at.steady - lagMs, wall: at.wall - lagMs });
          heard(at, { ...after, view: { ...after.view, now: committed.now } });
          return uses.started;
        }
      } catch (error) {
        assertSameDatabase(error);
        if (!HoldpointError.is(error, 'STORE_FAILED') || !held.isHeld()) throw error;
        inDoubt = true;
        await pause(Math.min(200, held.left()));
      }
      await tryReread();
      if (inDoubt && hasHeld(read, lease, { expected, ends: end !== undefined })) return uses.started;
    }
  };

  const flush = async (isEnd: boolean): Promise<void> => {
    // Changes of the same turn of the event loop share a commit. Nothing follows an end.
    if (!isEnd) await nextTurn();
    while (queue.length > 0) {
      const taken = queue;
      queue = [];
      try {
        const started = await commit(taken);
        for (const { done } of taken) done(started);
      } catch (error) {
        // The write failed, so the run cannot continue.
        lose(HoldpointError.is(error) ? error : lost(lease, error));
        for (const { failed } of taken) failed(error);
      }
    }
    busy = undefined;
  };
  const write = (change: Write['change'], end?: EndRun): Promise<Started> => {
    const written = new Promise<Started>((done, failed) => {
      if (over) failed(lost(lease));
      else queue.push({ change, done, failed, ...defined({ end }) });
    });
    // The signal reports a failed write to callers that do not await it.
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
    keep(change) {
      const kept = write(withEvents(change)).then(() => undefined);
      // As for `written`.
      kept.catch(() => undefined);
      return kept;
    },
    start: async (change) => (await write(withEvents(change))).has(change.granted),
    async end(end) {
      assertKeepable(end.raised ?? [], end.vault);
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
      if (!over && held.isHeld() && isSameDatabase() && store.isCurrent?.() !== false) return;
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
      // A pending write would renew the lease.
      await busy;
      await endLease(store, lease);
    },
  };
}

/** Whether a commit with an unknown outcome was made. */
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

/** Lets the process end although the timer is pending, where timers support that. */
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
