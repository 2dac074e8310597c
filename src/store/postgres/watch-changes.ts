import { setTimeout as delay } from 'node:timers/promises';
import { Listeners } from '../listeners.ts';
import type { Change } from '../store.ts';
import { fromStored } from '../stored-text.ts';
import { queryRows } from './connect.ts';
import type { PostgresListener } from './driver.ts';
import { keyFromColumns } from './row-columns.ts';
import type { SchemaNames } from './schema.ts';

/** How far before the last sign of life to look for changes: a commit's time is taken a little before it is visible. */
const OVERLAP_MS = 60_000;
const HEARTBEAT_MS = 15_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

type Tell = (change: Change) => void;

export interface FollowOptions {
  readonly names: SchemaNames;
  /** An open connection that nobody else uses. */
  readonly open: () => Promise<PostgresListener>;
  readonly tell: Tell;
  readonly signal: AbortSignal;
}

/**
 * Tells of every thread that is committed to from now on, until the signal aborts. A connection that is lost is made
 * again, each failure after a longer pause; what changed meanwhile is then told, with what changed shortly before.
 */
export async function followChanges({ names, open, tell, signal }: FollowOptions): Promise<void> {
  const began = Date.now();
  let failures = 0;
  let seen: number | undefined;
  while (!signal.aborted) {
    try {
      const listener = await open();
      const session = new ListenSession(listener, names, tell);
      try {
        await session.start(seen === undefined ? { agoMs: Date.now() - began } : { atMs: seen });
        failures = 0;
        await session.untilLost(signal);
      } finally {
        seen = session.seen ?? seen;
        await closeListener(listener);
      }
    } catch {
      // Whatever it was, a new connection is the remedy; those who commit and read learn of the failure themselves.
    }
    failures += 1;
    const pause = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** One connection that listens, from its first query until it is lost. */
class ListenSession {
  /** The last time, by the database, at which everything before was told. */
  seen: number | undefined;
  /** The time from which this session began to tell. */
  #from = 0;
  readonly #listener: PostgresListener;
  readonly #names: SchemaNames;
  readonly #tell: Tell;
  readonly #lost: Promise<void>;

  constructor(listener: PostgresListener, names: SchemaNames, tell: Tell) {
    this.#listener = listener;
    this.#names = names;
    this.#tell = tell;
    this.#lost = new Promise((resolve) => {
      listener.on('error', resolve);
      listener.on('end', resolve);
    });
    listener.on('notification', ({ payload = '' }) => this.#receive(payload));
  }

  /** Listens first and then looks back, so that nothing falls in between. */
  async start(since: { readonly atMs: number } | { readonly agoMs: number }): Promise<void> {
    const now = await this.#now();
    this.#from = 'atMs' in since ? since.atMs : now - since.agoMs;
    await queryRows(this.#listener, `LISTEN "${this.#names.channel}"`);
    await this.#tellSince(this.#from);
    this.seen = now;
  }

  /** Asks now and then, because a connection can be lost without a word. */
  async untilLost(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const over = AbortSignal.any([signal, ended.signal]);
    void this.#lost.then(() => ended.abort());
    while (!over.aborted) {
      await delay(HEARTBEAT_MS, undefined, { signal: over, ref: false }).catch(() => undefined);
      if (over.aborted) return;
      const now = await Promise.race([
        this.#now(),
        delay(HEARTBEAT_MS, undefined, { signal: over, ref: false }).catch(() => undefined),
      ]);
      if (now === undefined) return;
      this.seen = now;
    }
  }

  #receive(payload: string): void {
    if (payload !== '') {
      const [scope = '', thread = ''] = JSON.parse(payload) as string[];
      this.#tell({ scope: fromStored(scope), thread: fromStored(thread) });
      return;
    }
    // A key too long for a payload. Where the question fails, the connection is lost and the next one looks back.
    this.#tellSince(this.seen ?? this.#from).catch(() => undefined);
  }

  async #tellSince(time: number): Promise<void> {
    const rows = await queryRows(
      this.#listener,
      `SELECT scope, thread, full_key FROM ${this.#names.quoted}.changes WHERE changed_at >= $1`,
      [Math.floor(time - OVERLAP_MS)],
    );
    for (const { scope = null, thread = null, full_key: fullKey = null } of rows) {
      const key = keyFromColumns({ scope: scope ?? '', thread: thread ?? '', id: '', fullKey });
      this.#tell({ scope: key.scope, thread: key.thread });
    }
  }

  async #now(): Promise<number> {
    const [row] = await queryRows(this.#listener, `SELECT ${this.#names.quoted}.now_ms() AS now`);
    return Number(row?.['now']);
  }
}

/** A connection that is gone cannot say goodbye, and nobody needs to wait for it. */
async function closeListener(listener: PostgresListener): Promise<void> {
  await Promise.race([listener.end().catch(() => undefined), delay(1_000, undefined, { ref: false })]);
}

/** How long the connection stays open when nobody listens any more: the next one often comes soon. */
const LINGER_MS = 5_000;

type Follow = (tell: (change: Change) => void, signal: AbortSignal) => Promise<void>;

/** Those who watch one store. They share what follows the changes, which runs while there are any. */
export class Watchers {
  readonly #follow: Follow;
  readonly #listeners = new Listeners();
  #following: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #linger: NodeJS.Timeout | undefined;

  constructor(follow: Follow) {
    this.#follow = follow;
  }

  watch(listener: (change: Change) => void): () => void {
    const remove = this.#listeners.add(listener);
    clearTimeout(this.#linger);
    this.#following ??= this.#start();
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#linger);
      this.#linger = setTimeout(() => void this.#stop(), LINGER_MS).unref();
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#listeners.clear();
    await this.#stop();
  }

  #start() {
    const stop = new AbortController();
    return { stop, done: this.#follow((change) => this.#listeners.tell([change]), stop.signal) };
  }

  async #stop(): Promise<void> {
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    await following?.done;
  }
}
