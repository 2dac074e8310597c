import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '../../core/index.ts';
import { Listeners } from '../listeners.ts';
import { toKey } from '../row-columns.ts';
import type { Change } from '../store.ts';
import { queryRows } from './connect.ts';
import type { PostgresListener } from './driver.ts';
import type { SchemaNames } from './schema.ts';

/**
 * How far before the last known time to look for changes, because a commit becomes visible a little after its time.
 */
const OVERLAP_MS = 60_000;
const HEARTBEAT_MS = 15_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

interface FollowOptions {
  readonly names: SchemaNames;
  /** Opens a connection that is not shared. */
  readonly open: () => Promise<PostgresListener>;
  readonly tell: (change: Change) => void;
  readonly signal: AbortSignal;
}

/**
 * Calls the listener for every changed thread until the signal aborts. Reconnects after growing pauses, and then
 * reports the changes since the loss and shortly before it.
 */
async function followChanges({ open, signal, ...options }: FollowOptions): Promise<void> {
  const began = Date.now();
  const progress: Progress = { seen: undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      const listener = await open();
      try {
        await listen(listener, { ...options, signal, began, progress });
      } finally {
        // Does not wait for a lost connection to close.
        await Promise.race([listener.end().catch(() => undefined), wait(1_000)]);
      }
    } catch {
      // Reconnects after any error; commits and reads report failures themselves.
    }
    progress.failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** progress.failures);
    await wait(longest * (0.5 + Math.random() / 2), signal);
  }
}

interface Progress {
  /** The time of the database up to which all changes were reported. */
  seen: number | undefined;
  /** Failed connections in a row. */
  failures: number;
}

interface ListenOptions extends Omit<FollowOptions, 'open'> {
  readonly began: number;
  readonly progress: Progress;
}

/** Listens first and then looks back, so that no change is missed. Returns when the connection is lost. */
async function listen(listener: PostgresListener, options: ListenOptions): Promise<void> {
  const { names, tell, signal, began, progress } = options;
  const lost = new AbortController();
  const over = AbortSignal.any([signal, lost.signal]);
  const readTime = async () =>
    Number((await queryRows(listener, `SELECT ${names.quoted}.now_ms()`))[0]?.[0] ?? 0);
  const tellSince = async (time: number) => {
    const rows = await queryRows(
      listener,
      `SELECT scope, thread, full_key FROM ${names.quoted}.changes WHERE changed_at >= $1`,
      [Math.floor(time - OVERLAP_MS)],
    );
    for (const row of rows) tell(toChange(row));
  };
  listener.on('error', () => lost.abort());
  listener.on('end', () => lost.abort());
  listener.on('notification', ({ payload = '' }) => {
    // The key was too long for a payload. If this query fails, the next connection looks back.
    if (payload === '') void tellSince(progress.seen ?? since).catch(() => undefined);
    else tell(toChange(JSON.parse(payload) as string[]));
  });
  const now = await readTime();
  const since = progress.seen ?? now - (Date.now() - began);
  await queryRows(listener, `LISTEN "${names.channel}"`);
  await tellSince(since);
  progress.failures = 0;
  // Queries regularly, because a connection can be lost silently.
  for (let time: number | undefined = now; time !== undefined && !over.aborted;) {
    progress.seen = time;
    await wait(HEARTBEAT_MS, over);
    if (!over.aborted) time = await Promise.race([readTime(), wait(HEARTBEAT_MS, over)]);
  }
}

/** Resolves after a time, or when the signal aborts; keeps no process alive. */
function wait(milliseconds: number, signal?: AbortSignal): Promise<undefined> {
  return delay(milliseconds, undefined, { ref: false, ...defined({ signal }) }).catch(() => undefined);
}

function toChange([scope, thread, fullKey = null]: readonly (string | null)[]): Change {
  const key = toKey([scope ?? '', thread ?? '', '', fullKey]);
  return { scope: key.scope, thread: key.thread };
}

/** Milliseconds for which the connection stays open after the last listener was removed. */
const LINGER_MS = 5_000;

/** The listeners of one store, which share one connection. */
export function createListeners(options: Pick<FollowOptions, 'names' | 'open'>): Listeners {
  const listeners = new Listeners({
    lingerMs: LINGER_MS,
    start() {
      const stop = new AbortController();
      const tell = (change: Change) => listeners.tell([change]);
      const done = followChanges({ ...options, tell, signal: stop.signal });
      return () => {
        stop.abort();
        return done;
      };
    },
  });
  return listeners;
}
