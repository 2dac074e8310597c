/** checking: whether an answer fits its question; a room of its own, so that a client can load nothing else. */
export { checkBeyondSchema } from './check-beyond-schema.ts';
