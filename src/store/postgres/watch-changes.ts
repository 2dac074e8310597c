import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { defined, nextTurn } from '../../core/index.ts';
import { Listeners } from '../listeners.ts';
import { toKey } from '../row-columns.ts';
import type { Change } from '../store.ts';
import type { Connection } from './connect.ts';
import { assertWidth, queryRows } from './connect.ts';
import type { TextRow } from './driver.ts';
import type { SchemaNames } from './schema.ts';

/**
 * How far before the last known time to look for changes, because a commit becomes visible a little after its time: longer with
 * synchronous replication, which it waits for.
 */
const OVERLAP_MS = 60_000;
const HEARTBEAT_MS = 15_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** How long a notification may take. */
const HEARD_WITHIN_MS = 1000;

const POLL_MS = 250;
/** How far most polls look back; the others, one in {@link LONG_LOOK_EVERY}, take {@link OVERLAP_MS}. */
const POLL_OVERLAP_MS = 2000;
const LONG_LOOK_EVERY = 20;
/** Polls before the next attempt to listen: a minute. */
const MOST_POLLS = 240;

interface FollowOptions {
  readonly names: SchemaNames;
  readonly connect: () => Promise<Connection>;
  readonly tell: (change: Change) => void;
  readonly signal: AbortSignal;
}

/** The time of the database up to which all changes were reported. */
interface Progress {
  seen: number;
}

interface ChangeOptions extends Omit<FollowOptions, 'connect'> {
  readonly connection: Connection;
  readonly progress: Progress;
}

/**
 * Calls the listener for every changed thread until the signal aborts. Listens, or polls where LISTEN hears nothing. Reconnects after
 * growing pauses, and then reports the changes since the loss and shortly before it.
 */
async function followChanges({ connect, signal, ...options }: FollowOptions): Promise<void> {
  const began = Date.now();
  let progress: Progress | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const connection = await connect();
      progress ??= { seen: (await readTime(connection, options.names)) - (Date.now() - began) };
      const given = { ...options, connection, progress, signal };
      if (!(await listen(given)) && !signal.aborted) await poll(given);
      failures = 0;
    } catch {
      // Reconnects after any error; commits and reads report failures themselves.
    }
    failures += 1;
    const longest = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** failures);
    await wait(longest * (0.5 + Math.random() / 2), signal);
  }
}

/** Reports changes until the connection is lost, and returns true; false if nothing is heard on it from the start. */
async function listen({ connection, names, tell, signal, progress }: ChangeOptions): Promise<boolean> {
  const tellSince = async (time: number) => {
    for (const row of await readChanges(connection, names, time - OVERLAP_MS)) tell(toChange(row));
  };
  const ear = await openEar(connection, names, (payload) => {
    // The key was too long for a payload. If this query fails, the next connection looks back.
    if (payload === undefined) void tellSince(progress.seen).catch(() => undefined);
    else tell(toChange(payload));
  });
  if (ear === undefined) return false;
  const over = AbortSignal.any([signal, ear.lost]);
  try {
    await tellSince(progress.seen);
    // Asks regularly, because a connection can be lost silently.
    for (let hasHeard = false; ; hasHeard = true) {
      const time = await ear.hears(over);
      if (time === undefined) return hasHeard;
      progress.seen = time;
      await wait(HEARTBEAT_MS, over);
      if (over.aborted) return true;
    }
  } finally {
    await ear.close();
  }
}

/** A connection that listens. */
interface Ear {
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
  /** Notifies itself by another connection, and returns the time of the database then; undefined if it does not hear it. */
  hears(signal: AbortSignal): Promise<number | undefined>;
  close(): Promise<void>;
}

/** Calls `notified` with the scope and thread of each change, or with nothing if they are too long. Undefined if the store must not listen. */
export async function openEar(
  connection: Connection,
  names: SchemaNames,
  notified: (payload: TextRow | undefined) => void = () => undefined,
): Promise<Ear | undefined> {
  // Where no connection can be made for listening alone, the pool may still reach the database.
  const listener = await connection.openListener(names.channel).catch(() => undefined);
  if (listener === undefined) return undefined;
  const lost = new AbortController();
  let probe = '';
  let isHeard: () => void = () => undefined;
  listener.on('error', () => lost.abort());
  listener.on('end', () => lost.abort());
  listener.on('notification', ({ payload = '' }) => {
    const said = payload === '' ? undefined : (JSON.parse(payload) as TextRow | string);
    if (typeof said !== 'string') notified(said);
    else if (said === probe) isHeard();
  });
  return {
    lost: lost.signal,
    async hears(signal) {
      const heard = new Promise<true>((resolve) => {
        isHeard = () => resolve(true);
      });
      probe = randomUUID();
      const time = await notify(connection, names, probe);
      if ((await Promise.race([heard, wait(HEARD_WITHIN_MS, signal)])) === true) return time;
      // A busy process reads a notification that has come after a timer that is over.
      await nextTurn();
      return (await Promise.race([heard, nextTurn()])) === true ? time : undefined;
    },
    async close() {
      // Does not wait for a lost connection to close.
      await Promise.race([listener.end().catch(() => undefined), wait(1000)]);
    },
  };
}

/** Reports changes by reading them again and again. Returns after a while: a server may hear later. */
async function poll({ connection, names, tell, signal, progress }: ChangeOptions): Promise<void> {
  /** The last reported change of each thread of the overlap. */
  let known = new Map<string, string>();
  for (let polls = 0; polls < MOST_POLLS && !signal.aborted; polls += 1) {
    const isLong = polls % LONG_LOOK_EVERY === 0;
    const rows = await readChanges(
      connection,
      names,
      progress.seen - (isLong ? OVERLAP_MS : POLL_OVERLAP_MS),
    );
    const found = new Map<string, string>();
    for (const row of rows) {
      const [scope, thread, , changedAt] = row;
      const name = JSON.stringify([scope, thread]);
      found.set(name, changedAt ?? '');
      progress.seen = Math.max(progress.seen, Number(changedAt));
      if (known.get(name) !== changedAt) tell(toChange(row));
    }
    known = isLong ? found : new Map([...known, ...found]);
    await wait(POLL_MS, signal);
  }
}

async function readTime(connection: Connection, names: SchemaNames): Promise<number> {
  const [row] = await connection.run(async (client) =>
    assertWidth(await queryRows(client, `SELECT ${names.quoted}.now_ms(), 'now'`), 2),
  );
  return Number(row?.[0]);
}

/** Sends a notification that names no thread, and returns the time of the database. */
async function notify(connection: Connection, names: SchemaNames, id: string): Promise<number> {
  const text = `SELECT ${names.quoted}.now_ms(), pg_notify($1, $2)`;
  const [row] = await connection.run(async (client) =>
    assertWidth(await queryRows(client, text, [names.channel, JSON.stringify(id)]), 2),
  );
  return Number(row?.[0]);
}

/** The scope, thread, whole key and time of the changes since a time. */
async function readChanges(
  connection: Connection,
  names: SchemaNames,
  since: number,
): Promise<readonly TextRow[]> {
  const text = `SELECT scope, thread, full_key, changed_at FROM ${names.quoted}.changes WHERE changed_at >= $1`;
  return connection.run(async (client) => assertWidth(await queryRows(client, text, [Math.floor(since)]), 4));
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
export function createListeners(options: Pick<FollowOptions, 'names' | 'connect'>): Listeners {
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
