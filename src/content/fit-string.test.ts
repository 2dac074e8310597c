import { describe, expect, it } from 'vitest';
import { fitString } from './user-input.ts';

const object = (properties: object, required?: string[]) => ({
  type: 'object',
  properties,
  ...(required === undefined ? {} : { required }),
});

describe('fitString', () => {
  it.each([
    [{ type: 'string' }],
    [{ type: ['null', 'string'] }],
    [{ enum: ['free', 'pro'] }],
    [{ const: 'pro' }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ oneOf: [{ const: 'free' }, { const: 'pro' }] }],
    [{ type: ['integer', 'string'] }],
    [{}],
    [{ $ref: '#/$defs/plan' }],
  ])('returns the string unchanged for the schema %j', (schema) => {
    expect(fitString('7', schema)).toBe('7');
  });

  it.each([
    ['number', '42', 42],
    ['number', '-1.5e3', -1500],
    ['number', '0.1', 0.1],
    ['integer', '42', 42],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
  ])('converts, for the type %s, the string %j to %j', (type, text, value) => {
    expect(fitString(text, { type })).toBe(value);
    expect(fitString(text, { type: [type, 'null'] })).toBe(value);
    expect(fitString(text, { anyOf: [{ type }, { type: 'null' }] })).toBe(value);
    expect(fitString(text, { enum: [value] })).toBe(value);
  });

  it.each([
    ['number', '42 '],
    ['number', '1,000'],
    ['number', '042'],
    ['number', '+1'],
    ['number', '0x10'],
    ['number', '1e400'],
    ['number', 'NaN'],
    ['number', ''],
    ['number', 'true'],
    ['number', 'null'],
    ['integer', '1.5'],
    ['integer', '12345678901234567890'],
    ['boolean', 'True'],
    ['boolean', 'yes'],
    ['boolean', '1'],
    ['array', '[]'],
    ['null', 'null'],
  ])(
    'returns the string unchanged, for the type %s, when it is %j, so that validation rejects it',
    (type, text) => {
      expect(fitString(text, { type })).toBe(text);
    },
  );

  it('wraps the string in an object with exactly one string property', () => {
    expect(fitString('x', object({ email: { type: 'string' } }, ['email']))).toEqual({ email: 'x' });
    expect(fitString('x', object({ email: { type: 'string' }, age: { type: 'number' } }))).toEqual({
      email: 'x',
    });
    expect(fitString('x', object({ plan: { enum: ['x', 'y'] } }))).toEqual({ plan: 'x' });
    expect(fitString('x', { properties: { note: { type: ['string', 'null'] } } })).toEqual({ note: 'x' });
  });

  it('returns the string unchanged for an object with no, several or other required properties', () => {
    const schemas = [
      object({}),
      { type: 'object' },
      object({ age: { type: 'number' } }),
      object({ first: { type: 'string' }, last: { type: 'string' } }),
      object({ email: { type: 'string' }, age: { type: 'number' } }, ['age']),
      object({ email: { type: 'string' } }, ['email', 'undeclared']),
    ];
    for (const schema of schemas) expect(fitString('x', schema)).toBe('x');
  });

  it('returns {response: text} without a schema', () => {
    expect(fitString('x', undefined)).toEqual({ response: 'x' });
  });
});
