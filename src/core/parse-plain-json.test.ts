import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { parseJson } from './json-limits.ts';
import { parsePlainJson } from './parse-plain-json.ts';

describe('plain JSON', () => {
  it('is read as any JSON is, and nothing that would be refused is plain', () => {
    let plain = 0;
    const names = fc.constantFrom('a', '__proto__', 'constructor', 'construct');
    const values = fc.oneof(fc.jsonValue(), fc.dictionary(names, fc.jsonValue()));
    fc.assert(
      fc.property(values, fc.boolean(), (value, escaped) => {
        const text = JSON.stringify(value).replaceAll('o', escaped ? String.raw`\u006f` : 'o');
        const read = parsePlainJson(text);
        if (read === undefined) return;
        plain += 1;
        expect(read).toEqual(parseJson(text));
      }),
      { numRuns: runs(200) },
    );
    expect(plain).toBeGreaterThan(runs(60));
  });

  it.each([
    '',
    '[DONE]',
    '{"a":',
    '{"__proto__":1}',
    String.raw`{"constr\u0075ctor":1}`,
    '['.repeat(101) + ']'.repeat(101),
    `"${'x'.repeat(1_000_000)}"`,
  ])('leaves %.30s to the limits', (text) => {
    expect(parsePlainJson(text)).toBeUndefined();
  });

  it('is as deep as the limits allow', () => {
    const text = '['.repeat(100) + ']'.repeat(100);
    expect(parsePlainJson(text)).toEqual(parseJson(text));
  });

  it('is what most events are, in any language', () => {
    expect(parsePlainJson(String.raw`{"type":"TEXT_MESSAGE_CONTENT","delta":"\u00fcber \n\u4f60"}`)).toEqual({
      type: 'TEXT_MESSAGE_CONTENT',
      delta: 'über \n你',
    });
  });
});
