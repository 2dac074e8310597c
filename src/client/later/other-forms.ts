export { createEventReader, dialectNamed } from '../../protocol/dialects/index.ts';
