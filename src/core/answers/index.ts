/** answers: the error for an invalid answer. A separate entry, because a page loads it with the validator. */
export { invalidAnswer } from './invalid-answer.ts';
