import type { Change } from '../store.ts';
import type { Connection } from './connection.ts';
import { fromStored, toStored } from './stored-text.ts';

/**
 * Notes the threads that a batch changes, inside its transaction, and gives the numbers of these changes. A thread has
 * one number, its last: a process that slept for a week still finds every thread that changed meanwhile.
 */
export function noteChanges(connection: Connection, changes: readonly Change[]): number[] {
  return changes.map(({ scope, thread }) =>
    connection.number('INSERT OR REPLACE INTO changes (scope, thread) VALUES (?, ?) RETURNING change', [
      toStored(scope),
      toStored(thread),
    ]),
  );
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

  /** Tells of what this process committed. */
  tell(changes: readonly Change[], numbers: readonly number[]): void {
    if (this.#listeners.size === 0) return;
    // Where nobody else's change lies in between, these need not be read again.
    for (const number of numbers) if (number === this.#seen + 1) this.#seen = number;
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
      return this.#connection()?.number('SELECT max(change) FROM changes') ?? 0;
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
      const rows = connection.all(
        'SELECT change, scope, thread FROM changes WHERE change > ? ORDER BY change',
        [this.#seen],
      );
      this.#dataVersion = version;
      this.#seen = Number(rows.at(-1)?.[0] ?? this.#seen);
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
