import { nextTurn } from '../core/index.ts';

const MOST_CHARACTERS = 1_000_000;

export interface GroupOptions<Job, Result> {
  /** Commits jobs in one transaction and gives the result of each. */
  commitAll(jobs: readonly Job[]): Promise<readonly Result[]>;
  /** Whether the transaction was undone, so that another attempt may succeed. */
  wasUndone(error: unknown): boolean;
  /** Transactions at the same time. */
  readonly mostTransactions: number;
  /** Jobs that share a transaction. */
  readonly mostJobs: number;
  /** The characters of a job; jobs that share a transaction have at most a million, unless one alone has more. */
  readonly sizeOf?: (job: Job) => number;
}

interface Waiting<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits the jobs of one turn of the event loop, and those that come during other commits, in one transaction, with
 * one wait for the disk. If it fails, commits each job by itself, so that only the failing job fails. Reads of PostgreSQL
 * share statements in the same way.
 */
export class GroupCommits<Job, Result> {
  readonly #options: GroupOptions<Job, Result>;
  readonly #waiting: Waiting<Job, Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  #isGathering = false;

  constructor(options: GroupOptions<Job, Result>) {
    this.#options = options;
  }

  /** Resolves once the job is committed; rejects with the error of its transaction. */
  run(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      this.#startNext();
    });
  }

  /** Resolves when no job is waiting or under way. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startNext(): void {
    const isFull = this.#running.size >= this.#options.mostTransactions;
    if (this.#isGathering || isFull || this.#waiting.length === 0) return;
    const run = this.#commitNext().finally(() => {
      this.#running.delete(run);
      this.#startNext();
    });
    this.#running.add(run);
  }

  async #commitNext(): Promise<void> {
    this.#isGathering = true;
    await nextTurn();
    this.#isGathering = false;
    const group = this.#takeGroup();
    this.#startNext();
    await this.#commit(group);
  }

  #takeGroup(): Waiting<Job, Result>[] {
    const { mostJobs, sizeOf = () => 0 } = this.#options;
    let size = 0;
    const end = this.#waiting.findIndex(({ job }, at) => {
      size += sizeOf(job);
      return at > 0 && (at >= mostJobs || size > MOST_CHARACTERS);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #commit(group: readonly Waiting<Job, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commitAll(group.map(({ job }) => job));
      for (const [at, result] of results.entries()) group[at]?.resolve(result);
    } catch (error) {
      if (group.length > 1 && this.#options.wasUndone(error)) {
        for (const one of group) await this.#commit([one]);
      } else for (const { reject } of group) reject(error);
    }
  }
}
