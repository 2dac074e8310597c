import { HoldpointError } from '../../core/index.ts';
import type { Connection } from './driver.ts';
import { backOffMs } from './connect.ts';
import { isBusy } from './errors.ts';

/** How many share a transaction at most: the event loop stands still while it is written. */
const GROUP_LIMIT = 256;

interface Job {
  readonly since: number;
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes what comes in during one turn of the event loop in one transaction: one wait for the disk, however many there
 * are. Where that fails, each is written by itself, so that one that cannot be written fails alone.
 */
export class GroupCommits {
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #queue: Job[] = [];
  #scheduled = false;
  #attempt = 0;
  /** How many of the queue are to be written one by one. */
  #alone = 0;

  constructor(connection: Connection, busyTimeoutMs: number) {
    this.#connection = connection;
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
      const values = this.#connection.transaction(() => group.map(({ work }) => work()));
      this.#drop(group.length);
      this.#attempt = 0;
      for (const [index, job] of group.entries()) job.resolve(values[index]);
    } catch (error) {
      if (isBusy(error)) this.#giveUpThoseWhoWaitedTooLong(error);
      // An error of our own is about the file: written again, the same jobs would fail again, or hold twice.
      else if (group.length > 1 && !HoldpointError.is(error)) this.#alone = group.length;
      else for (const job of this.#drop(group.length)) job.reject(error);
    }
    if (this.#queue.length > 0) this.#schedule(this.#attempt === 0 ? 0 : backOffMs(this.#attempt));
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
