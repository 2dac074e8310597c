/** checking: whether an answer fits its question; a room of its own, so that a client can load nothing else. */
export { checkAnswerWith } from './check-answer-with.ts';
export { checkBeyondSchema } from './check-beyond-schema.ts';
