/** answers: the error of an answer that does not fit; apart from the basics, since a page has it with the validator. */
export { invalidAnswer } from './invalid-answer.ts';
