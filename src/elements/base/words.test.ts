import { expect, it } from 'vitest';
import { timeLeft, timeLeftHoldsMs } from './words.ts';

it.each([
  [3 * 3_600_000, '3 h'],
  [3 * 3_600_000 - 1001, '2 h'],
  [719_000, '11 min'],
  [600_000, '10 min'],
  [599_000, '9 min 59 s'],
  [120_000, '2 min'],
  [119_001, '2 min'],
  [117_000, '1 min 57 s'],
  [60_000, '1 min'],
  [59_000, '59 s'],
  [19, '1 s'],
  [0, '0 s'],
])('writes a remaining time of %i ms as %j, and has another text when it says so', (left, text) => {
  expect(timeLeft(left)).toBe(text);
  const holds = timeLeftHoldsMs(left);
  if (holds > 20) expect(timeLeft(left - holds + 1)).toBe(text);
  if (left > 0) expect([left, timeLeft(left - holds)]).not.toEqual([left, text]);
});
