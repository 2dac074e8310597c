import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestJson, HoldpointError } from './index.ts';

describe('canonicalJson', () => {
  it('sorts members by code units at every level and writes no spaces', () => {
    expect(canonicalJson({ b: [1, { z: null, a: 'é' }], a: true, '\u20ac': 1, $: 2 })).toBe(
      '{"$":2,"a":true,"b":[1,{"a":"é","z":null}],"\u20ac":1}',
    );
  });

  it('treats an undefined member as absent and keeps falsy values', () => {
    expect(canonicalJson({ a: undefined, b: 0, c: '', d: false, e: null, f: [] })).toBe(
      '{"b":0,"c":"","d":false,"e":null,"f":[]}',
    );
  });

  it('parses back to the same value, in any order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it.each([[Number.NaN], [Infinity], [10n], [() => 1], [Symbol('x')], [[undefined]]])(
    'throws INPUT_INVALID for %s',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(HoldpointError);
    },
  );

  it('throws INPUT_INVALID for a cycle and for nesting past the limit', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => canonicalJson(cycle)).toThrow('a cycle');
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(() => canonicalJson(deep)).toThrow('levels of nesting');
  });

  it('writes an object twice when it appears twice without a cycle', () => {
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  it('gives equal values an equal digest', async () => {
    expect(digestJson({ a: 1, b: 2 })).toBe(digestJson({ b: 2, a: 1 }));
    expect(digestJson({ a: 1 })).not.toBe(digestJson({ a: '1' }));
    expect(digestJson({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
