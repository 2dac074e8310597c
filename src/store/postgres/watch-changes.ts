import { setTimeout as delay } from 'node:timers/promises';
import { Listeners } from '../listeners.ts';
import { toKey } from '../row-columns.ts';
import type { Change } from '../store.ts';
import { queryRows } from './connect.ts';
import type { PostgresListener } from './driver.ts';
import type { SchemaNames } from './schema.ts';

/** How far before the last sign of life to look for changes: a commit's time is taken a little before it is visible. */
const OVERLAP_MS = 60_000;
const HEARTBEAT_MS = 15_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

interface FollowOptions {
  readonly names: SchemaNames;
  /** An open connection that nobody else uses. */
  readonly open: () => Promise<PostgresListener>;
  readonly tell: (change: Change) => void;
  readonly signal: AbortSignal;
}

/**
 * Tells of every thread that is committed to from now on, until the signal aborts. A connection that is lost is made
 * again, each failure after a longer pause; what changed meanwhile is then told, with what changed shortly before.
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
        // A connection that is gone cannot say goodbye, and nobody needs to wait for it.
        await Promise.race([listener.end().catch(() => undefined), wait(1_000)]);
      }
    } catch {
      // Whatever it was, a new connection is the remedy; those who commit and read learn of the failure themselves.
    }
    progress.failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** progress.failures);
    await wait(longest * (0.5 + Math.random() / 2), signal);
  }
}

interface Progress {
  /** The last time, by the database, at which everything before was told. */
  seen: number | undefined;
  /** Connections that failed one after the other. */
  failures: number;
}

interface ListenOptions extends Omit<FollowOptions, 'open'> {
  readonly began: number;
  readonly progress: Progress;
}

/** Listens first and then looks back, so that nothing falls in between. Returns when the connection is lost. */
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
    // A key too long for a payload. Where the question fails, the connection is lost and the next one looks back.
    if (payload === '') void tellSince(progress.seen ?? since).catch(() => undefined);
    else tell(toChange(JSON.parse(payload) as string[]));
  });
  const now = await readTime();
  const since = progress.seen ?? now - (Date.now() - began);
  await queryRows(listener, `LISTEN "${names.channel}"`);
  await tellSince(since);
  progress.failures = 0;
  // Asks now and then, because a connection can be lost without a word.
  for (let time: number | undefined = now; time !== undefined && !over.aborted;) {
    progress.seen = time;
    await wait(HEARTBEAT_MS, over);
    if (!over.aborted) time = await Promise.race([readTime(), wait(HEARTBEAT_MS, over)]);
  }
}

/** Resolves after a time, or when the signal aborts; keeps no process alive. */
function wait(milliseconds: number, signal?: AbortSignal): Promise<undefined> {
  return delay(milliseconds, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(
    () => undefined,
  );
}

function toChange([scope, thread, fullKey = null]: readonly (string | null)[]): Change {
  const key = toKey([scope ?? '', thread ?? '', '', fullKey]);
  return { scope: key.scope, thread: key.thread };
}

/** How long the connection stays open after the last listener was removed. */
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
