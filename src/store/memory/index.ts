/** store/memory: everything in this process. */
export { memoryStore } from './memory-store.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
