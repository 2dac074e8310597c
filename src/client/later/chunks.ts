export { createChunkExpander } from '../../protocol/chunks/index.ts';
