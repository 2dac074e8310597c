/** reading: the events of a run as content parts; a room of its own, so that a client can load nothing else. */
export { createContentReader } from './content-reader.ts';
export type { ContentReader, ContentReaderOptions, ContentUpdate } from './content-reader.ts';
