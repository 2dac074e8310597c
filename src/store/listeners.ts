import type { Batch, Change, RowKey } from './store.ts';

type Listener = (change: Change) => void;

export interface ListenersOptions {
  /** Called when the first listener is added; returns the function to stop. */
  readonly start?: () => () => Promise<void> | void;
  /**
   * Milliseconds between the removal of the last listener and the stop, because the next one often comes soon.
   * Default 0.
   */
  readonly lingerMs?: number;
}

/** The listeners of one store. Watches changes of other processes while there are any. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #listeners = new Set<Listener>();
  #stop: (() => Promise<void> | void) | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ListenersOptions = {}) {
    this.#options = options;
  }

  /** Returns the function to remove it. The same function added twice counts as two listeners. */
  add(listener: Listener): () => void {
    const { start, lingerMs = 0 } = this.#options;
    const own: Listener = (change) => listener(change);
    clearTimeout(this.#linger);
    this.#stop ??= start?.();
    this.#listeners.add(own);
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size > 0) return;
      if (lingerMs === 0) void this.#end();
      else this.#linger = setTimeout(() => void this.#end(), lingerMs).unref();
    };
  }

  /**
   * Calls all listeners. An error of a listener becomes an uncaught error; the commit stays, and the other listeners
   * are called.
   */
  tell(changes: readonly Change[]): void {
    for (const change of changes) for (const listener of this.#listeners) tellOne(listener, change);
  }

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#listeners.clear();
    await this.#end();
  }

  async #end(): Promise<void> {
    const stop = this.#stop;
    this.#stop = undefined;
    await stop?.();
  }
}

function tellOne(listener: Listener, change: Change): void {
  try {
    listener({ ...change });
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** The threads that a batch changes, each once. */
export function changedThreads(batch: Batch): readonly Change[] {
  const changes: Change[] = [];
  const add = ({ scope, thread }: Pick<RowKey, 'scope' | 'thread'>) => {
    const last = changes.at(-1);
    // Most batches are of one thread.
    if (thread === '' || (last?.scope === scope && last.thread === thread)) return;
    changes.push({ scope, thread });
  };
  for (const { key } of batch.puts ?? []) add(key);
  for (const { key } of batch.deletes ?? []) add(key);
  for (const append of batch.appends ?? []) add(append);
  if (changes.length < 2) return changes;
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}
