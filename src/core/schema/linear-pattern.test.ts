import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runs } from '../../../test/size.ts';
import { linearPattern } from './linear-pattern.ts';

/** Native matching of these takes exponential time on a long text that does not match. */
const DANGEROUS = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(x+x+)+y',
  '^([a-zA-Z]+)*$',
  '^(\\w+\\s?)*$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^(?:.*a){11}$',
  '^(a{1,30}){1,30}b$',
  '^a*a*a*a*a*b$',
];

const REFUSED: [pattern: string, reason: string][] = [
  ['(a)\\1', 'backreferences'],
  ['(?<name>a)\\k<name>', 'backreferences'],
  ['(?=a)b', 'look-around'],
  ['(?!a)b', 'look-around'],
  ['(?<=a)b', 'look-around'],
  ['(?<!a)b', 'look-around'],
  ['a{1001}', 'counts or character properties that cannot be checked in linear time'],
  ['(?:a{100}){100}', 'counts or character properties that cannot be checked in linear time'],
  ['\\p{scx=Grek}', 'counts or character properties that cannot be checked in linear time'],
  ['x'.repeat(1001), 'more than 1000 characters'],
  ['[', 'invalid syntax'],
  ['a{2,1}', 'invalid syntax'],
  ['\\-', 'invalid syntax'],
];

const ORDINARY = [
  '',
  '^x-',
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{3}-\\d{4}$',
  '^(foo|bar)+$',
  '^#[0-9a-f]{3}([0-9a-f]{3})?$',
  '^\\s*\\S.*$',
  '^.*foo.*$',
  '^https?://[^\\s/$.?#].[^\\s]*$',
  '^[\\w%+.-]+@[\\d.A-Za-z-]+\\.[A-Za-z]{2,}$',
  '^[\\u0041-\\u{5a}\\x61\\cJ\\uD83D\\uDE00]+$',
  '\\p{Lu}',
  '\\P{L}',
  '\\p{Script=Greek}',
  '\\p{gc=Lu}',
  '[^]',
  '[]',
  '[\\b]',
  '\\bfoo\\B',
  '[\\s\\S]',
  '[^\\S]',
  '[\\]\\-^]',
  '[+\\-a-c]',
  '[--a]',
  '[a[:]',
  '(?<name>a)b$',
  '\\uD83D',
  '[\\uD800-\\uDFFF]',
  '\\0',
  '\\/\\.\\$\\{',
  'a{2,}?',
  '^$',
  'a$',
];

/** White space, line ends, lone surrogates and other texts on which two engines might differ. */
const TEXTS = [
  '',
  'a',
  'ab',
  'foo',
  'foobar',
  'foo bar',
  'A',
  'Z',
  '_',
  '1',
  '123-4567',
  'x-1',
  'a@b.cd',
  'http://a.b',
  '#fff',

  'é',
  'ß',
  'Σ',
  'ſ',
  '\u212a',
  '😀',
  '\ud83d',
  '\udc00',
  'a\ud83d',
  '\u0000',
  '\b',
  '/.${',
  '-',
  '+',
  ']',
  '[',
  ':',
  '^',

  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\t',
  '\u000b',
  '\f',
  ' ',
  '\u00a0',
  '\u0085',
  '\u1680',
  '\u180e',
  '\ufeff',
  '\u3000',
  'a\n',
  'a\r',
  'a\u2028',
  '\na',
  'aaa',
  'aaaaaaaaaab',
];

/** Every pattern that zod writes for its string formats. */
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

function testOf(pattern: string): (text: string) => boolean {
  const compiled = linearPattern(pattern);
  if ('refused' in compiled) throw new Error(`${pattern} was refused: ${compiled.refused}`);
  return compiled.test;
}

describe('linearPattern', () => {
  it.each(ORDINARY)('matches %s like a native expression with the u flag', (pattern) => {
    const native = new RegExp(pattern, 'u');
    const test = testOf(pattern);
    for (const text of TEXTS) expect([text, test(text)]).toEqual([text, native.test(text)]);
  });

  it.each(zodPatterns())(
    'matches the zod pattern for %s like a native expression, or rejects it',
    (_, pattern) => {
      const compiled = linearPattern(pattern);
      if ('refused' in compiled) {
        expect(['look-around', 'backreferences', 'invalid syntax']).toContain(compiled.refused);
        return;
      }
      const native = new RegExp(pattern, 'u');
      for (const text of TEXTS) expect([text, compiled.test(text)]).toEqual([text, native.test(text)]);
    },
  );

  it('accepts most patterns of zod', () => {
    const refused = zodPatterns().filter(([, pattern]) => 'refused' in linearPattern(pattern));
    expect(zodPatterns().length).toBeGreaterThan(60);
    expect(refused.length).toBeLessThan(zodPatterns().length / 4);
  });

  it.each(REFUSED)('rejects %s', (pattern, refused) => {
    expect(linearPattern(pattern)).toEqual({ refused });
  });

  it.each(DANGEROUS)('matches %s on a long text that a native expression would not finish', (pattern) => {
    const test = testOf(pattern);
    for (const unit of ['a', 'x', 'ab', ' ', '1']) {
      expect(test(`${unit.repeat(50_000 / unit.length)}!`)).toBe(false);
    }
  });

  it('matches random patterns like native expressions', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '[^a]',
      '.',
      '\\w',
      '\\W',
      '\\d',
      '\\s',
      '\\S',
      'ab',
      '$',
      '^',
      '\\b',
      '[]',
      '[^]',
      '\\u{1f600}',
    );
    const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '*?', '+?');
    const isAssertion = (text: string) => ['$', '^', '\\b'].includes(text);
    const { pattern } = fc.letrec<{ pattern: string; group: string }>((tie) => ({
      group: fc.oneof(
        { maxDepth: 2 },
        atom,
        tie('pattern').map((body) => `(?:${body})`),
        tie('pattern').map((body) => `(${body})`),
      ),
      pattern: fc
        .array(fc.tuple(tie('group'), quantifier, fc.constantFrom('', '', '|')), {
          minLength: 1,
          maxLength: 3,
        })
        .map((parts) =>
          parts.map(([body, count, or]) => `${body}${isAssertion(body) ? '' : count}${or}`).join(''),
        ),
    }));
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '\u2028', '_', '😀', '\ud83d'),
      maxLength: 8,
    });
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        expect(testOf(source)(value)).toBe(new RegExp(source, 'u').test(value));
      }),
      { numRuns: runs(400) },
    );
  });
});
