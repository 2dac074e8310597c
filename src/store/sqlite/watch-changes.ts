import type { Change } from '../store.ts';
import type { Journal, Others } from './journal.ts';

/**
 * Tells listeners of changes: of this process's own when it is told of them, and of other processes' by asking SQLite
 * now and then whether anyone else has written. Asks only while someone listens, and keeps no process alive.
 */
export class ChangeWatcher implements Others {
  readonly #journal: () => Journal | undefined;
  readonly #pollIntervalMs: number;
  readonly #listeners = new Set<(change: Change) => void>();
  #timer: NodeJS.Timeout | undefined;
  /** What others have changed and nobody was told of yet. */
  #heard = new Map<string, Change>();

  constructor(journal: () => Journal | undefined, pollIntervalMs: number) {
    this.#journal = journal;
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
  tell(changes: readonly Change[]): void {
    for (const change of changes) this.#tellOne(change);
  }

  /** Told at the next turn: whoever reads or writes right now is not to be interrupted. */
  heard(changes: readonly Change[]): void {
    for (const change of changes) this.#heard.set(JSON.stringify([change.scope, change.thread]), change);
  }

  close(): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    // While the file cannot be read, everything counts as new, and nothing is missed.
    this.#catchUp();
    this.#timer = setInterval(() => this.#poll(), this.#pollIntervalMs);
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#heard.clear();
  }

  #poll(): void {
    this.#catchUp();
    const changes = [...this.#heard.values()];
    this.#heard.clear();
    this.tell(changes);
  }

  #catchUp(): void {
    try {
      this.#journal()?.catchUp();
    } catch {
      // Whoever commits or reads hears of it; here the next turn tries again.
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
