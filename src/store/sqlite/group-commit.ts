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

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes what comes in during one turn of the event loop in one transaction: one wait for the disk, however many there
 * are. Each job has a savepoint, so that one that throws undoes only itself.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #busyTimeoutMs: number;
  readonly #queue: Job[] = [];
  #scheduled = false;
  #attempt = 0;

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
    const group = this.#queue.slice(0, GROUP_LIMIT);
    try {
      const outcomes = this.#connection.transaction(() => {
        const [only, ...others] = group;
        // One that is alone is undone with its transaction.
        if (only !== undefined && others.length === 0) return [{ value: only.work() }];
        return group.map((job) => this.#runInSavepoint(job));
      });
      this.#queue.splice(0, group.length);
      this.#attempt = 0;
      for (const [index, outcome] of outcomes.entries()) settle(group[index], outcome);
    } catch (error) {
      if (isBusy(error)) this.#giveUpThoseWhoWaitedTooLong(error);
      else for (const job of this.#queue.splice(0, group.length)) job.reject(error);
    }
    if (this.#queue.length > 0) this.#schedule(this.#attempt === 0 ? 0 : backOffMs(this.#attempt));
  }

  #runInSavepoint({ work }: Job): Outcome {
    this.#connection.run('SAVEPOINT job');
    try {
      const value = work();
      this.#connection.run('RELEASE job');
      return { value };
    } catch (error) {
      // A full disk may have ended the whole transaction; then nobody's changes are kept.
      if (!this.#connection.inTransaction) throw error;
      this.#connection.run('ROLLBACK TO job');
      this.#connection.run('RELEASE job');
      return { error };
    }
  }

  #giveUpThoseWhoWaitedTooLong(error: unknown): void {
    this.#attempt += 1;
    const latest = performance.now() - this.#busyTimeoutMs;
    while (this.#queue[0] !== undefined && this.#queue[0].since <= latest) this.#queue.shift()?.reject(error);
  }
}

function settle(job: Job | undefined, outcome: Outcome): void {
  if ('error' in outcome) job?.reject(outcome.error);
  else job?.resolve(outcome.value);
}
