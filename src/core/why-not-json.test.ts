import { describe, expect, it } from 'vitest';
import { whyNotJson } from './index.ts';

function cycle(): object {
  const value: Record<string, unknown> = { list: [{}] };
  value['list'] = [{ up: value }];
  return value;
}

describe('whyNotJson', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['members that JSON leaves out', { a: undefined, b: () => 1, c: Number.NaN }],
    ['one object twice', (({ a }: object & { a: object }) => [a, a])({ a: {} })],
    ['a date', new Date(0)],
  ])('returns undefined for %s', (_what, value) => {
    expect(whyNotJson(value)).toBeUndefined();
  });

  it.each([
    [5n, 'BigInt'],
    [{ 'a/b': [1, 5n] }, 'BigInt at /a~1b/1'],
    [cycle(), 'a cycle at /list/0/up'],
    [() => 1, 'a function'],
    [Symbol('a'), 'a symbol'],
    [{ at: { toJSON: () => 5n } }, 'BigInt at /at'],
  ])('names the part of %s that is not JSON, and its pointer (%#)', (value, why) => {
    expect(whyNotJson(value)).toBe(why);
  });
});
