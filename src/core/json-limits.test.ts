import { describe, expect, it } from 'vitest';
import { HoldpointError, parseJson } from './index.ts';

function refusal(text: string, limits = {}): HoldpointError {
  try {
    parseJson(text, limits);
  } catch (error) {
    if (HoldpointError.is(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseJson', () => {
  it('parses like JSON.parse: the last of two equal member names wins', () => {
    expect(parseJson('{"a":1,"a":[2,null,"x"]}')).toEqual({ a: [2, null, 'x'] });
    expect(parseJson('7')).toBe(7);
  });

  it('throws TOO_LARGE for a text past the limit, before it parses', () => {
    expect(refusal(`"${'x'.repeat(100)}"`, { maxLength: 50 })).toMatchObject({ code: 'TOO_LARGE' });
  });

  it('throws INPUT_INVALID with a short quotation for text that is not JSON', () => {
    expect(refusal('{"a":')).toMatchObject({ code: 'INPUT_INVALID', issues: [{ pointer: '' }] });
    expect(refusal('x'.repeat(10_000)).message.length).toBeLessThan(120);
    expect(refusal('NaN').code).toBe('INPUT_INVALID');
  });

  it('throws INPUT_INVALID past the depth limit, also at 100,000 levels', () => {
    expect(parseJson('[[[1]]]', { maxDepth: 3 })).toEqual([[[1]]]);
    expect(refusal('[[[1]]]', { maxDepth: 2 }).issues[0]?.pointer).toBe('/0/0');
    expect(refusal('['.repeat(100_000) + ']'.repeat(100_000)).message).toContain('100 levels of nesting');
    expect(refusal('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)).message.length).toBeLessThan(200);
  });

  it('throws INPUT_INVALID past the member limit', () => {
    expect(refusal('[1,2,3]', { maxKeys: 2 }).code).toBe('INPUT_INVALID');
    expect(parseJson('{"a":1,"b":2}', { maxKeys: 2 })).toEqual({ a: 1, b: 2 });
  });

  it.each(['{"__proto__":{"polluted":1}}', '{"a":[{"constructor":{"prototype":{"polluted":1}}}]}'])(
    'throws INPUT_INVALID for %s, and changes no prototype',
    (text) => {
      expect(refusal(text).issues[0]?.message).toMatch(/^the name (__proto__|constructor) is not accepted$/);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    },
  );

  it('throws INPUT_INVALID for a forbidden name that is written with escapes', () => {
    expect(refusal('{"\\u005f_proto__":1}').issues[0]?.pointer).toBe('/__proto__');
  });
});
