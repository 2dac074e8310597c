import { expect, it } from 'vitest';

import { finishReasonOf } from './from-stream.ts';

it.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content-filter'],
  ['tool-calls', 'tool-calls'],
  ['error', 'error'],
  ['interrupted', 'error'],
  ['other', 'other'],
  ['unknown', 'other'],
  ['something-new', 'other'],
])('reads %s as %s, as a string or in an object', (word, reason) => {
  expect(finishReasonOf(word)).toBe(reason);
  expect(finishReasonOf({ unified: word })).toBe(reason);
});
