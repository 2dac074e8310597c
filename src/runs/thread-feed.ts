import type { Access, ScopeAccess, ThreadKey } from '../ledger/index.ts';
import { readLog } from '../ledger/index.ts';
import type { LogItem, Store } from '../store/index.ts';

/** Follows what happens on threads, whichever process it happens in. */
export interface ThreadFeed {
  /**
   * The events of a thread after a place of its log, and those that follow, in pieces, until `signal` fires. A reader that is
   * slow holds up nobody: it reads on from the store when it can.
   */
  follow(
    access: Access<'read' | 'run'>,
    given: { readonly after: number; readonly signal: AbortSignal },
  ): AsyncIterable<readonly LogItem[]>;
  /** Tells of every change of a thread, until it is stopped. */
  watch(key: ThreadKey, wake: () => void): () => void;
  /** Tells of every change of a scope. */
  watchScope(access: ScopeAccess<'read'>, wake: () => void): () => void;
  close(): void;
}

const PAGE = 500;

export function createFeed(store: Store): ThreadFeed {
  /** By scope, then by thread; those of a whole scope are under no thread. */
  const wakers = new Map<string, Map<string | undefined, Set<() => void>>>();
  const stop = store.watch(({ scope, thread }) => {
    const ofScope = wakers.get(scope);
    for (const waker of ofScope?.get(thread) ?? []) waker();
    for (const waker of ofScope?.get(undefined) ?? []) waker();
  });
  const listen = ({ scope, thread }: { scope: string; thread?: string }, waker: () => void) => {
    const ofScope = wakers.get(scope) ?? new Map<string | undefined, Set<() => void>>();
    wakers.set(scope, ofScope);
    const set = ofScope.get(thread) ?? new Set();
    ofScope.set(thread, set);
    set.add(waker);
    return () => {
      set.delete(waker);
      if (set.size === 0 && ofScope.get(thread) === set) ofScope.delete(thread);
      if (ofScope.size === 0 && wakers.get(scope) === ofScope) wakers.delete(scope);
    };
  };
  return {
    async *follow(access, { after, signal }) {
      let place = after;
      let changed = true;
      let resume: () => void = () => undefined;
      const go = () => {
        changed = true;
        resume();
      };
      const unlisten = listen(access.key, go);
      signal.addEventListener('abort', go, { once: true });
      try {
        while (!signal.aborted) {
          changed = false;
          const items = await readLog(access, { log: 'events', after: place, limit: PAGE });
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
    watch: (key, waker) => listen(key, waker),
    watchScope: ({ principal }, waker) => listen({ scope: principal.scope }, waker),
    close() {
      stop();
      for (const ofScope of wakers.values())
        for (const set of ofScope.values()) for (const waker of set) waker();
    },
  };
}
