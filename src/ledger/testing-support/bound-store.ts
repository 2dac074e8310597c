import type { Store } from '../../store/index.ts';

/** A copy of a store with bound methods, so that a test can replace some of them. */
export function bound(store: Store): Store {
  return {
    processes: store.processes,
    commit: (batch) => store.commit(batch),
    get: (table, keys) => store.get(table, keys),
    snapshot: (reads) => store.snapshot(reads),
    list: (query) => store.list(query),
    count: (query) => store.count(query),
    read: (query) => store.read(query),
    trim: (query) => store.trim(query),
    findStrays: (choice) => store.findStrays(choice),
    now: () => store.now(),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}
