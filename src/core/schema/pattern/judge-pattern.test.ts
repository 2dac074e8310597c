import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../../test/size.ts';
import { isSafePattern, judgePattern } from './index.ts';

const DANGEROUS = [
  '(a+)+',
  '^(a+)+$',
  '(a*)*',
  '(a|a)*',
  '(.*)*',
  '(a+b?)+',
  '(a|aa)+$',
  '(a|b|ab)*c',
  '^(a?b?)*$',
  '(x+x+)+y',
  '([a-zA-Z]+)*$',
  '^(\\w+\\s?)*$',
  '^(\\d+|\\d+x)*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?:.*a){11}$',
  '^(?:[\\p{L}]+.?)+$',
  '^(?=(a+)+$)',
  '^(?:(?=(a+)+$)a)',
  '(a{1,50}){1,50}b',
  '^(?:a?){30}a{30}$',
  '^(?:[a-z]{2,3})*$',
  '(?:(?:\\d*|)ab)+c$',
  '^(?:(?:|)ab)+c$',
  '^(?:ab(?:$|\\b|))+c$',
];

const TOO_COSTLY = [
  '^a*a*a*b',
  'a*a*b',
  '^.*.*.*$',
  'foo.*bar.*baz',
  `^${'a?'.repeat(25)}a{25}$`,
  `^${'(|)'.repeat(25)}x$`,
  `^${'(a|a)'.repeat(40)}b$`,
  `^${'a{0,60}'.repeat(20)}b$`,
  '^a*(?=a*a*b)',
];

const FORBIDDEN = [
  '(a)\\1*',
  '^(?:(a)\\1)+$',
  '(?<name>a)(?:\\k<name>)+',
  'a{1,100000}',
  'a{100000}',
  'a{100000,}',
  '(?:(?:a{100}){100}){100}',
  '(?<=a+)b',
  '(?<!a*)b',
  'x'.repeat(1001),
  '[',
  '(',
  'a{2,1}',
  '\\-',
];

const ORDINARY = [
  '',
  'q',
  '^x-',
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{3}-\\d{4}$',
  '^(foo|bar)+$',
  '^#[0-9a-f]{3}([0-9a-f]{3})?$',
  '^[A-Z][a-z]*( [A-Z][a-z]*)*$',
  '^\\s*\\S.*$',
  '^(?:(?!foo).)*$',
  '^.*foo.*$',
  '^a*a*b',
  '^https?://[^\\s/$.?#].[^\\s]*$',
  '^(?=.*[A-Z])(?=.*\\d).{8,}$',
  '^[^@]+@[^@]+\\.[^@]+$',
  '^[\\w%+.-]+@[\\d.A-Za-z-]+\\.[A-Za-z]{2,}$',
  '^(\\+\\d{1,2}\\s?)?\\(?\\d{3}\\)?[\\s.-]?\\d{3}[\\s.-]?\\d{4}$',
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  '^(["\'])[^"\']*\\1$',
  '^[\\u0041-\\u{5a}\\x61\\cJ\\uD83D\\uDE00]+$',
  '(?<=\\$)\\d+',
  '\\p{Lu}',
];

/** Every pattern that zod writes for a string format of its own. */
function zodPatterns(): [name: string, pattern: string][] {
  const formats: Record<string, z.ZodType> = {
    email: z.email(),
    guid: z.guid(),
    uuid: z.uuid(),
    uuidv4: z.uuidv4(),
    uuidv6: z.uuidv6(),
    uuidv7: z.uuidv7(),
    url: z.url(),
    emoji: z.emoji(),
    nanoid: z.nanoid(),
    cuid: z.cuid(),
    cuid2: z.cuid2(),
    ulid: z.ulid(),
    xid: z.xid(),
    ksuid: z.ksuid(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    mac: z.mac(),
    cidrv4: z.cidrv4(),
    cidrv6: z.cidrv6(),
    base64: z.base64(),
    base64url: z.base64url(),
    e164: z.e164(),
    jwt: z.jwt(),
    hostname: z.hostname(),
    hex: z.hex(),
    date: z.iso.date(),
    time: z.iso.time(),
    datetime: z.iso.datetime(),
    'datetime with options': z.iso.datetime({ offset: true, local: true, precision: 3 }),
    duration: z.iso.duration(),
    sha512: z.hash('sha512'),
    lowercase: z.string().lowercase(),
    'template literal': z.templateLiteral(['a', z.number(), z.string(), z.enum(['x', 'y'])]),
    'starts, ends and includes': z.string().startsWith('a.b').endsWith('x').includes('q'),
  };
  for (const [name, expression] of Object.entries(z.regexes)) {
    if (expression instanceof RegExp) formats[`regexes.${name}`] = z.string().regex(expression);
  }
  return Object.entries(formats).flatMap(([name, schema]) => {
    const { pattern, allOf } = z.toJSONSchema(schema, { io: 'input' });
    const patterns = [pattern, ...(allOf ?? []).map((part) => part.pattern)];
    return patterns.flatMap((text): [string, string][] => (text === undefined ? [] : [[name, text]]));
  });
}

describe('judgePattern', () => {
  it.each([...DANGEROUS, ...TOO_COSTLY, ...FORBIDDEN])('refuses %s', (pattern) => {
    expect(isSafePattern(pattern)).toBe(false);
  });

  it.each(ORDINARY)('accepts %s', (pattern) => {
    expect(judgePattern(pattern)).not.toHaveProperty('reason');
  });

  it.each(zodPatterns())('accepts the zod pattern for %s, if it is valid with the u flag', (_, pattern) => {
    expect(isSafePattern(pattern)).toBe(isValid(pattern));
  });

  it('sees more zod patterns than a handful', () => {
    expect(zodPatterns().length).toBeGreaterThan(60);
  });

  it('says why it refuses', () => {
    expect(judgePattern('^(a+)+$')).toEqual({
      cost: 'refused',
      reason: 'a repetition that can match the same text in several ways',
    });
    expect(judgePattern('a{2000}')).toEqual({ cost: 'refused', reason: 'a count over 1000' });
  });

  it('tells quadratic patterns from linear ones', () => {
    expect(judgePattern('^[a-z]+$').cost).toBe('linear');
    expect(judgePattern('^foo.*').cost).toBe('linear');
    expect(judgePattern('foo\\d+bar').cost).toBe('linear');
    expect(judgePattern('^a*a*b').cost).toBe('quadratic');
    expect(judgePattern('\\s+$').cost).toBe('quadratic');
  });

  it('ends soon for patterns made to keep the analysis busy', () => {
    const letters = Array.from({ length: 60 }, (_, index) => `[\\u0${(index + 256).toString(16)}-\\uffff]*`);
    for (const pattern of [
      `^${letters.join('').slice(0, 990)}`,
      `^(?:${'[a-z]?'.repeat(150)})$`,
      `^${'a{128}'.repeat(160)}$`,
      `^(?:${'[a-z][0-9]|'.repeat(80)}x)*$`,
      `^(${Array.from({ length: 120 }, (_, index) => `a${index}b*`).join('|')})*$`,
      '('.repeat(400) + ')'.repeat(400),
    ]) {
      expect(typeof isSafePattern(pattern)).toBe('boolean');
    }
  });

  it('accepts no pattern that hangs on long texts', () => {
    for (const pattern of [...ORDINARY, ...zodPatterns().map(([, text]) => text)].filter(isSafePattern)) {
      const expression = new RegExp(pattern, 'u');
      for (const unit of ['a', '1', 'A', '-', '.', 'a.', 'a-', '1.', ' ', 'foo', 'ab', '1:', '@', 'P1']) {
        expect(typeof expression.test(`${unit.repeat(5000 / unit.length)}\n!`)).toBe('boolean');
      }
    }
  });

  it('accepts no random pattern that hangs on long texts', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '.', '\\w', '\\d', 'ab', '(?=a)', '(?!b)', '$', '\\b');
    const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '{0,40}', '*?');
    const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
      group: fc.oneof(
        { maxDepth: 3 },
        atom,
        tie('pattern').map((body) => `(?:${body})`),
      ),
      pattern: fc
        .array(fc.tuple(tie('group'), quantifier, fc.constantFrom('', '', '|')), {
          minLength: 1,
          maxLength: 4,
        })
        .map((parts) => parts.map((part) => part.join('')).join('')),
    }));
    const anchored = fc.tuple(fc.constantFrom('', '^', '^'), pattern, fc.constantFrom('', '$', 'c', 'c$'));
    const texts = ['a', 'b', 'ab', 'aab', '1'].map((unit) => `${unit.repeat(2000 / unit.length)}!`);
    let accepted = 0;
    fc.assert(
      fc.property(
        anchored.map((parts) => parts.join('')),
        (text) => {
          if (!isSafePattern(text)) return;
          accepted += 1;
          const expression = new RegExp(text, 'u');
          for (const long of texts) expression.test(long);
        },
      ),
      { numRuns: runs(600) },
    );
    expect(accepted).toBeGreaterThan(runs(40));
  });
});

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}
