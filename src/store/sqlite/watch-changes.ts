import type { Change } from '../store.ts';
import type { Connection } from './connection.ts';
import { fromStored, toStored } from './stored-text.ts';

const MARK = `INSERT OR REPLACE INTO rows (scope, thread, tbl, id, version, doc) VALUES (?, ?, 'changes', '', 0, '')`;

/**
 * A change is seen by what it adds at the end of the file; where it adds nothing, or removes what may have been the end, a
 * mark is put there. A thread has one mark, its last: a process that slept for a week still finds every thread that changed.
 */
export function markChanges(connection: Connection, changes: readonly Change[]): void {
  for (const { scope, thread } of changes) connection.run(MARK, [toStored(scope), toStored(thread)]);
}

const SELECT_CHANGED = `SELECT max(place), scope, thread FROM rows WHERE place > ? AND thread <> ''
  GROUP BY scope, thread`;

/** Where the file ends. */
export function lastPlace(connection: Connection): number {
  return connection.number('SELECT max(place) FROM rows');
}

/**
 * Tells listeners of changes: of this process's own when it is told of them, and of other processes' by asking SQLite
 * now and then whether anyone else has written. Asks only while someone listens, and keeps no process alive.
 */
export class ChangeWatcher {
  readonly #connection: () => Connection | undefined;
  readonly #pollIntervalMs: number;
  readonly #listeners = new Set<(change: Change) => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen = 0;
  #dataVersion: number | undefined;

  constructor(connection: () => Connection | undefined, pollIntervalMs: number) {
    this.#connection = connection;
    this.#pollIntervalMs = pollIntervalMs;
  }

  watch(listener: (change: Change) => void): () => void {
    // The same function given twice is two listeners.
    const own = (change: Change) => listener(change);
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Tells of what this process committed. */
  tell(changes: readonly Change[], places?: { readonly from: number; readonly to: number }): void {
    if (!this.isWatched) return;
    // Where nobody else's change lies before it, this need not be read again.
    if (places !== undefined && places.from === this.#seen) this.#seen = places.to;
    for (const change of changes) this.#tellOne(change);
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    this.#seen = this.#lastChange();
    this.#dataVersion = undefined;
    this.#timer = setInterval(() => this.#poll(), this.#pollIntervalMs);
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** 0 while the file cannot be read: then everything counts as new, and nothing is missed. */
  #lastChange(): number {
    try {
      const connection = this.#connection();
      return connection === undefined ? 0 : lastPlace(connection);
    } catch {
      return 0;
    }
  }

  #poll(): void {
    const connection = this.#connection();
    if (connection === undefined) return;
    for (const change of this.#newChanges(connection)) this.#tellOne(change);
  }

  #newChanges(connection: Connection): readonly Change[] {
    try {
      // Read before the changes: whatever is committed in between gives yet another version next time.
      const version = connection.number('PRAGMA data_version');
      if (version === this.#dataVersion) return [];
      const rows = connection.all(SELECT_CHANGED, [this.#seen]);
      this.#dataVersion = version;
      for (const [place] of rows) this.#seen = Math.max(this.#seen, Number(place));
      return rows.map(([, scope, thread]) => ({
        scope: fromStored(String(scope)),
        thread: fromStored(String(thread)),
      }));
    } catch {
      // Whoever commits or reads hears of it; here the next turn tries again.
      return [];
    }
  }

  #tellOne(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener({ ...change });
      } catch (error) {
        // The commit stands and the others are to hear of it, so this goes to the process as any uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
