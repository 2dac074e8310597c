import type { Store } from '../../store/index.ts';

/** A store's methods as they are, for some of them to be replaced. */
export function bound(store: Store): Store {
  return {
    processes: store.processes,
    commit: (batch) => store.commit(batch),
    get: (table, keys) => store.get(table, keys),
    snapshot: (reads) => store.snapshot(reads),
    list: (query) => store.list(query),
    read: (query) => store.read(query),
    trim: (query) => store.trim(query),
    now: () => store.now(),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}
