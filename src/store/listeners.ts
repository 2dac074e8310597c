import type { Change } from './store.ts';

type Listener = (change: Change) => void;

/** The listeners of one store. */
export class Listeners {
  readonly #listeners = new Set<Listener>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Gives back how to remove it. The same function added twice is two listeners. */
  add(listener: Listener): () => void {
    const own: Listener = (change) => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Tells all of them. An error of a listener becomes an uncaught error: the commit holds, and the others are told. */
  tell(changes: readonly Change[]): void {
    for (const change of changes) for (const listener of this.#listeners) tellOne(listener, change);
  }

  clear(): void {
    this.#listeners.clear();
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
