import { Listeners } from '../listeners.ts';
import type { Change } from '../store.ts';
import { fromStored } from '../stored-text.ts';
import type { Connection } from './driver.ts';

const SELECT_ENDS = 'SELECT min(number), max(number) FROM changes';
const SELECT_SINCE = `SELECT number, scope, thread FROM changes WHERE number > ?1 AND thread <> '' ORDER BY number`;
const SELECT_ALL = 'SELECT 0, scope, thread FROM threads';

/**
 * Tells listeners of changes: of this process's own when it is told of them, and of other processes' by asking SQLite
 * now and then whether another connection has written. Asks only while there are listeners, and keeps no process alive.
 */
export class ChangeWatcher {
  readonly #connection: () => Connection | undefined;
  readonly #pollIntervalMs: number;
  readonly #listeners = new Listeners();
  #timer: NodeJS.Timeout | undefined;
  /** The connection that was asked last, what SQLite called its file then, and the last change that was read. */
  #asked: { readonly connection: Connection; readonly version: number; readonly last: number } | undefined;

  constructor(connection: () => Connection | undefined, pollIntervalMs: number) {
    this.#connection = connection;
    this.#pollIntervalMs = pollIntervalMs;
  }

  watch(listener: (change: Change) => void): () => void {
    if (this.#listeners.size === 0) this.#start();
    const remove = this.#listeners.add(listener);
    return () => {
      remove();
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Tells of what this process committed. */
  tell(changes: readonly Change[]): void {
    this.#listeners.tell(changes);
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    // A file that cannot be read yet counts from its first change.
    this.#asked = undefined;
    this.#readChanges();
    this.#timer = setInterval(() => this.tell(this.#readChanges()), this.#pollIntervalMs);
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** What was committed since the last call. The first call takes down where the changes end. */
  #readChanges(): Change[] {
    const connection = this.#connection();
    if (connection === undefined) return [];
    try {
      // Read first: a commit in between gives yet another version next time.
      const version = connection.number('PRAGMA data_version');
      const before = this.#asked;
      if (before?.connection === connection && before.version === version) return [];
      const [first = null, last = null] = connection.row(SELECT_ENDS) ?? [];
      this.#asked = { connection, version, last: Number(last ?? 0) };
      if (before === undefined) return [];
      // Another file, or changes that were removed before they were read: any thread may have changed.
      const isComplete = before.connection === connection && Number(first ?? 0) <= before.last + 1;
      const rows = isComplete ? connection.all(SELECT_SINCE, [before.last]) : connection.all(SELECT_ALL);
      const found = new Map(
        rows.map(([, scope, thread]) => [JSON.stringify([scope, thread]), toChange(scope, thread)]),
      );
      return [...found.values()];
    } catch {
      // A commit or a read hears of it; here the next turn tries again.
      return [];
    }
  }
}

function toChange(scope: unknown, thread: unknown): Change {
  return { scope: fromStored(String(scope)), thread: fromStored(String(thread)) };
}
