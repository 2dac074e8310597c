import { describe, expect, it } from 'vitest';
import { compileInBrowser, patternInBrowser } from './compile-in-browser.ts';

const accepts = (pattern: string, text: string) => {
  const compiled = patternInBrowser(pattern);
  return 'test' in compiled ? compiled.test(text) : undefined;
};

describe('compileInBrowser', () => {
  it.each([
    ['^[A-Z]{2}\\d+$', 'AB12', 'ab12'],
    ['^\\+?\\d{3,15}$', '+491234', 'call me'],
    ['^(?:free|pro)$', 'pro', 'gold'],
    ['^[^@]+@[^@]+$', 'a@b.com', 'a.b.com'],
    ['^\\p{Lu}', 'Ada', 'ada'],
  ])('checks %s in the page', (pattern, good, bad) => {
    expect([accepts(pattern, good), accepts(pattern, bad)]).toEqual([true, false]);
  });

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '(x+x+)+y',
    '^(.*)\\1$',
    '^a*b*c*d$',
    '^(?:[a-z]{1,9}){1,9}$',
    'a'.repeat(1001),
  ])('leaves %s to the server', (pattern) => {
    expect(accepts(pattern, '!')).toBe(true);
  });

  it('leaves a long text to the server, and checks the rest of the schema', () => {
    expect(accepts('^\\d*$', 'x'.repeat(2001))).toBe(true);
    const { validate } = compileInBrowser({ pattern: '(?:a+)+b', minLength: 2 });
    expect(validate('ab')).toEqual([]);
    expect(validate('a')).toHaveLength(1);
  });
});
