import { expect, it } from 'vitest';
import { fieldsToSchema, fromValues, schemaToFields, toValues } from './fields.ts';

it('fieldsToSchema reads fields as an array, a map by name, or a schema', () => {
  const schema = {
    type: 'object',
    properties: { size: { type: 'integer', title: 'Size', enum: [1, 2] }, note: { type: 'string' } },
    required: ['size'],
    additionalProperties: false,
  };
  const size = { type: 'integer', label: 'Size', required: true, options: [{ value: 1, label: 'one' }, 2] };
  expect(fieldsToSchema([{ name: 'size', ...size }, { name: 'note' }])).toEqual(schema);
  expect(fieldsToSchema({ size, note: {} })).toEqual(schema);
  expect(fieldsToSchema(schema)).toBe(schema);
  expect([fieldsToSchema([]), fieldsToSchema(undefined), fieldsToSchema('x')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it('schemaToFields lists the members of a schema, and toValues wraps a value that is not an object', () => {
  expect(
    schemaToFields({
      type: 'object',
      properties: { pin: { type: 'string', format: 'password' } },
      required: ['pin'],
    }),
  ).toEqual([{ name: 'pin', type: 'string', format: 'password', required: true, secret: true }]);
  expect(schemaToFields({ type: 'string' })).toEqual([{ name: 'value', type: 'string', required: true }]);
  for (const [schema, payload] of [
    [{ type: 'string' }, 'x'],
    [{}, { value: 1 }],
    [{ type: 'object' }, { value: 1 }],
  ] as const) {
    expect(fromValues(schema, toValues(schema, payload))).toEqual(payload);
  }
});
