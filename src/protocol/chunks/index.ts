/** chunks: expands chunk events. */
export { createChunkExpander } from './expand-chunks.ts';
export type { ChunkExpander } from './expand-chunks.ts';
