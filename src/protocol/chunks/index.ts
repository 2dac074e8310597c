/** chunks: shorthand events, spelled out. */
export { createChunkExpander } from './expand-chunks.ts';
export type { ChunkExpander } from './expand-chunks.ts';
