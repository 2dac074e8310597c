/** reading: reads the events of a run as content parts. A separate entry, so that a client loads only this. */
export { createContentReader } from './content-reader.ts';
export type { ContentReader, ContentReaderOptions, ContentUpdate } from './content-reader.ts';
