import { describe, expect, it } from 'vitest';
import { hasSecrets, replaceSecrets } from './index.ts';

const password = { type: 'string', format: 'password' };
const hide = (schema: unknown, value: unknown) =>
  replaceSecrets(schema, value, (_secret, index) => `#${index}`);

describe('the secrets that a schema marks', () => {
  it.each([
    ['the whole value', password, 'x', '#0'],
    [
      'writeOnly',
      { properties: { pin: { writeOnly: true } } },
      { pin: 1, name: 'a' },
      { pin: '#0', name: 'a' },
    ],
    ['a list', { items: password }, ['a', 'b'], ['#0', '#1']],
    ['positions', { prefixItems: [{}, password], items: {} }, ['a', 'b', 'c'], ['a', '#0', 'c']],
    ['positions as draft 7 writes them', { items: [{}, password] }, ['a', 'b'], ['a', '#0']],
    [
      'what else there is',
      { properties: { a: {} }, additionalProperties: password },
      { a: 1, b: 2 },
      { a: 1, b: '#0' },
    ],
    [
      'names by pattern',
      { patternProperties: { '^key': password } },
      { keyA: 1, b: 2 },
      { keyA: '#0', b: 2 },
    ],
    [
      // Look-around cannot run in linear time.
      'every name, for a pattern that the linear engine rejects',
      { patternProperties: { '^(?=key)': password } },
      { keyA: 1, b: 2 },
      { keyA: '#0', b: '#1' },
    ],
    [
      'a reference',
      { $defs: { p: password }, properties: { a: { $ref: '#/$defs/p' } } },
      { a: 1 },
      { a: '#0' },
    ],
    [
      'any alternative',
      { anyOf: [{ type: 'null' }, { properties: { a: password } }] },
      { a: 1 },
      { a: '#0' },
    ],
    ['a condition', { if: {}, else: { properties: { a: password } } }, { a: 1 }, { a: '#0' }],
    [
      'a tree',
      { $defs: { n: { properties: { key: password, next: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
      { key: 1, next: { key: 2 } },
      { key: '#0', next: { key: '#1' } },
    ],
  ])('finds the secrets in %s', async (_name, schema, value, expected) => {
    expect(hasSecrets(schema)).toBe(true);
    expect(await hide(schema, value)).toEqual(expected);
  });

  it('finds no secrets in names, annotations and `not`', async () => {
    const plain = [
      true,
      undefined,
      { properties: { writeOnly: true, format: { const: 'password' } } },
      { const: { format: 'password' }, default: { writeOnly: true } },
      { not: password },
      { writeOnly: false, $defs: { unused: password } },
    ];
    for (const schema of plain) expect([schema, hasSecrets(schema)]).toEqual([schema, false]);
    const value = { writeOnly: 1 };
    expect(await hide(plain[2], value)).toBe(value);
  });
});
