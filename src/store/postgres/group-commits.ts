import type { CommitResult } from '../store.ts';
import type { EncodedBatch } from './encode-batch.ts';

/** Transactions under way at once; what comes meanwhile waits and then goes together. */
const MOST_TRANSACTIONS = 2;
const MOST_BATCHES = 64;
const MOST_CHARACTERS = 1_000_000;

interface Waiting {
  readonly batch: EncodedBatch;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

type CommitAll = (batches: readonly EncodedBatch[]) => Promise<(CommitResult | Error)[]>;

/** Commits that come while others are under way share a transaction: one round trip and one write to disk for all. */
export class GroupCommits {
  readonly #commitAll: CommitAll;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Promise<void>>();

  /** `commitAll` gives a result or an error for each batch. */
  constructor(commitAll: CommitAll) {
    this.#commitAll = commitAll;
  }

  commit(batch: EncodedBatch): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
      this.#startNext();
    });
  }

  /** Resolves when nothing is under way or waiting. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startNext(): void {
    if (this.#running.size >= MOST_TRANSACTIONS || this.#waiting.length === 0) return;
    const group = this.#takeGroup();
    const run = this.#run(group).finally(() => {
      this.#running.delete(run);
      this.#startNext();
    });
    this.#running.add(run);
  }

  #takeGroup(): Waiting[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ batch }, index) => {
      characters += batch.text.length;
      return index > 0 && (index >= MOST_BATCHES || characters > MOST_CHARACTERS);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#commitAll(group.map(({ batch }) => batch));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result === undefined || result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
