/** issues: what is wrong with a value from outside, and where; a door of its own, since a value that is plain has none. */
export { isForbiddenKey } from '../forbidden-key.ts';
export { invalidInput } from '../invalid-input.ts';
export { childPointer, pointerTokens } from '../json-pointer.ts';
export { kindOf } from '../kind-of.ts';
