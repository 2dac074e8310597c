import type { Change } from '../store.ts';

/** How long the connection stays open when nobody listens any more: the next one often comes soon. */
const LINGER_MS = 5_000;

type Follow = (tell: (change: Change) => void, signal: AbortSignal) => Promise<void>;

/** Those who watch one store. They share what follows the changes, which runs while there are any. */
export class Watchers {
  readonly #follow: Follow;
  readonly #listeners = new Set<(change: Change) => void>();
  #following: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  #linger: NodeJS.Timeout | undefined;

  constructor(follow: Follow) {
    this.#follow = follow;
  }

  watch(listener: (change: Change) => void): () => void {
    // A function of its own: the same listener may watch twice.
    const entry = (change: Change) => listener(change);
    this.#listeners.add(entry);
    clearTimeout(this.#linger);
    this.#following ??= this.#start();
    return () => {
      if (!this.#listeners.delete(entry) || this.#listeners.size > 0) return;
      clearTimeout(this.#linger);
      this.#linger = setTimeout(() => void this.#stop(), LINGER_MS).unref();
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.#linger);
    this.#listeners.clear();
    await this.#stop();
  }

  #start() {
    const stop = new AbortController();
    return { stop, done: this.#follow((change) => this.#tell(change), stop.signal) };
  }

  async #stop(): Promise<void> {
    const following = this.#following;
    this.#following = undefined;
    following?.stop.abort();
    await following?.done;
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener({ ...change });
      } catch (error) {
        // One that fails keeps nothing from the others; the error is its own, and comes out as such.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
