import type { Connection } from './connection.ts';
import { backOffMs } from './retry-while-busy.ts';
import { isBusy } from './sqlite-errors.ts';

/** How many share a transaction at most: the event loop stands still while it is written. */
const GROUP_LIMIT = 256;

interface Job {
  readonly since: number;
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Thrown where a transaction is to be made again at once. */
const AGAIN = new Error('again');

/** What is done around the jobs of a transaction. */
export interface Frame {
  begin(): void;
  end(): void;
  /** Nothing of it holds. True where the same is to be tried again. */
  lose(error: unknown): boolean;
}

/**
 * Writes what comes in during one turn of the event loop in one transaction: one wait for the disk, however many there
 * are. Where that fails, each is written by itself, so that one that cannot be written fails alone.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #frame: Frame;
  readonly #busyTimeoutMs: number;
  readonly #queue: Job[] = [];
  #scheduled = false;
  #attempt = 0;
  /** How many of the queue are to be written one by one. */
  #alone = 0;

  constructor(connection: Connection, frame: Frame, busyTimeoutMs: number) {
    this.#connection = connection;
    this.#frame = frame;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Runs `work` in the next transaction. Resolves once that is on disk; rejects with what `work` or SQLite threw. */
  async run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // A job keeps its own result's type; the queue does not know it.
      const settle = resolve as (value: unknown) => void;
      this.#queue.push({ since: performance.now(), work, resolve: settle, reject });
      if (!this.#scheduled) this.#schedule(0);
    });
  }

  /** Resolves when nothing that was given before is left to be written. */
  async drained(): Promise<void> {
    if (this.#queue.length === 0) return;
    await this.run(() => {}).catch(() => {});
  }

  #schedule(delayMs: number): void {
    this.#scheduled = true;
    const flush = () => {
      this.#scheduled = false;
      this.#flush();
    };
    if (delayMs === 0) setImmediate(flush);
    else setTimeout(flush, delayMs);
  }

  #flush(): void {
    const group = this.#queue.slice(0, this.#alone > 0 ? 1 : GROUP_LIMIT);
    try {
      const values = this.#write(group);
      this.#drop(group.length);
      this.#attempt = 0;
      for (const [index, job] of group.entries()) job.resolve(values[index]);
    } catch (error) {
      if (error === AGAIN) this.#attempt = 0;
      else if (isBusy(error)) this.#giveUpThoseWhoWaitedTooLong(error);
      else if (group.length > 1) this.#alone = group.length;
      else for (const job of this.#drop(group.length)) job.reject(error);
    }
    if (this.#queue.length > 0) this.#schedule(this.#attempt === 0 ? 0 : backOffMs(this.#attempt));
  }

  #write(group: readonly Job[]): readonly unknown[] {
    let begun = false;
    try {
      return this.#connection.transaction(() => {
        begun = true;
        this.#frame.begin();
        const values = group.map(({ work }) => work());
        this.#frame.end();
        return values;
      });
    } catch (error) {
      if (begun && this.#frame.lose(error)) throw AGAIN;
      throw error;
    }
  }

  #drop(count: number): readonly Job[] {
    this.#alone = Math.max(0, this.#alone - count);
    return this.#queue.splice(0, count);
  }

  #giveUpThoseWhoWaitedTooLong(error: unknown): void {
    this.#attempt += 1;
    const latest = performance.now() - this.#busyTimeoutMs;
    while (this.#queue[0] !== undefined && this.#queue[0].since <= latest) {
      for (const job of this.#drop(1)) job.reject(error);
    }
  }
}
