import type { ThreadKey } from '../../ledger/index.ts';
import type { LogItem, Store } from '../../store/index.ts';

/** Follows what happens on threads, whichever process it happens in. */
export interface ThreadFeed {
  /**
   * The events of a thread after a place of its log, and those that follow, in pieces, until `signal` fires. A reader that is
   * slow holds up nobody: it reads on from the store when it can.
   */
  follow(
    key: ThreadKey,
    given: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncIterable<readonly LogItem[]>;
  /** Tells of every change of a thread, until it is stopped. */
  watch(key: ThreadKey, wake: () => void): () => void;
  /** Tells of every change of a scope. */
  watchScope(scope: string, wake: () => void): () => void;
  close(): void;
}

const PAGE = 500;

export function createFeed(store: Store): ThreadFeed {
  const wakers = new Map<string, Set<() => void>>();
  const nameOf = (scope: string, thread?: string) =>
    JSON.stringify(thread === undefined ? [scope] : [scope, thread]);
  const wake = (name: string) => {
    for (const waker of wakers.get(name) ?? []) waker();
  };
  const stop = store.watch(({ scope, thread }) => {
    wake(nameOf(scope, thread));
    wake(nameOf(scope));
  });
  const listen = (name: string, waker: () => void) => {
    const set = wakers.get(name) ?? new Set();
    wakers.set(name, set);
    set.add(waker);
    return () => {
      set.delete(waker);
      if (set.size === 0) wakers.delete(name);
    };
  };
  return {
    async *follow(key, { after, signal }) {
      let place = after;
      let changed = true;
      let resume: () => void = () => undefined;
      const go = () => {
        changed = true;
        resume();
      };
      const unlisten = listen(nameOf(key.scope, key.thread), go);
      signal.addEventListener('abort', go, { once: true });
      try {
        while (!signal.aborted) {
          changed = false;
          const items = await store.read({ log: 'events', ...key, after: place, limit: PAGE });
          const last = items.at(-1);
          if (last !== undefined) {
            place = last.sequence;
            yield items;
          }
          if (changed || items.length === PAGE) continue;
          await new Promise<void>((resolve) => {
            resume = resolve;
            if (signal.aborted) resolve();
          });
        }
      } finally {
        unlisten();
        signal.removeEventListener('abort', go);
      }
    },
    watch: ({ scope, thread }, waker) => listen(nameOf(scope, thread), waker),
    watchScope: (scope, waker) => listen(nameOf(scope), waker),
    close() {
      stop();
      for (const set of wakers.values()) for (const waker of set) waker();
    },
  };
}
