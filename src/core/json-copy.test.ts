import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonCopy } from './json-copy.ts';

const byText = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('jsonCopy', () => {
  it('returns what JSON.parse(JSON.stringify(value)) returns', () => {
    const anything = fc.anything({
      withDate: true,
      withNullPrototype: true,
      withBoxedValues: true,
      withSparseArray: true,
      withMap: true,
    });
    fc.assert(
      fc.property(fc.object({ values: [anything] }), (value) => {
        expect(jsonCopy(value)).toStrictEqual(byText(value));
      }),
    );
  });

  it.each([
    ['members that JSON leaves out', { a: undefined, b: [undefined, () => 1], c: Symbol('c') }],
    ['objects with toJSON', { at: new Date(0), own: { toJSON: () => ({ written: true }) } }],
    ['numbers that JSON cannot write', [-0, Number.NaN, Infinity]],
    ['a member named __proto__', JSON.parse('{"__proto__": {"a": 1}, "b": 2}')],
    ['a member without a value', { a: null }],
  ])('copies %s like JSON', (_name, value) => {
    expect(jsonCopy(value)).toStrictEqual(byText(value));
  });

  it('shares no object with the original', () => {
    const value = { list: [{ a: 1 }] };
    const copy = jsonCopy(value);
    value.list[0] = { a: 2 };
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  it('throws what JSON.stringify throws', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => jsonCopy(cycle)).toThrow('circular');
    expect(() => jsonCopy({ n: 10n })).toThrow('BigInt');
    expect(() => jsonCopy(undefined)).toThrow(SyntaxError);
  });
});
