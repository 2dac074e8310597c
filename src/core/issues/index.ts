/** issues: the issues of a value from outside. A separate entry, because a valid value needs none of it. */
export { isForbiddenKey } from '../forbidden-key.ts';
export { invalidInput } from '../invalid-input.ts';
export { childPointer, pointerTokens } from '../json-pointer.ts';
export { kindOf } from '../kind-of.ts';
