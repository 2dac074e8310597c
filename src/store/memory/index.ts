/** store/memory: everything in this process. */
export { memoryStore } from './memory-store.ts';
