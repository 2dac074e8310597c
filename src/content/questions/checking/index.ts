/** checking: checks an answer beyond its schema. A separate entry, so that a client loads only this. */
export { checkBeyondSchema } from './check-beyond-schema.ts';
