import { expect, it } from 'vitest';
import { hasSecrets } from '../core/schema/index.ts';
import { fieldsToSchema, fromValues, schemaToFields, toValues } from './fields.ts';

it('fieldsToSchema reads fields as an array, a map by name, or a schema', () => {
  const schema = {
    type: 'object',
    properties: {
      size: { type: 'integer', title: 'Size', enum: [1, 2], enumNames: ['one', '2'] },
      note: { type: 'string' },
    },
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

it.each([
  ['text', { type: 'string' }],
  ['textarea', { type: 'string', format: 'textarea' }],
  ['email', { type: 'string', format: 'email' }],
  ['date', { type: 'string', format: 'date' }],
  ['tel', { type: 'string', format: 'tel' }],
  ['PASSWORD', { type: 'string', format: 'password', writeOnly: true }],
  ['checkbox', { type: 'boolean' }],
  ['number', { type: 'number' }],
  ['select', {}],
])('fieldsToSchema reads a field of the HTML type %s, in a list and in a schema', (type, member) => {
  const list = fieldsToSchema([{ name: 'it', type }]);
  expect(list?.['properties']).toEqual({ it: member });
  const schema = fieldsToSchema({ type: 'object', properties: { it: { type, title: 'It' } } });
  const expected = type === 'select' ? { type } : member;
  expect(schema?.['properties']).toEqual({ it: { title: 'It', ...expected } });
});

it('a password stays a secret whatever its format says', () => {
  const fields = [{ name: 'pin', type: 'password', format: 'pin', schema: { writeOnly: false } }];
  expect(hasSecrets(fieldsToSchema(fields))).toBe(true);
});

it('fieldsToSchema and schemaToFields keep the labels of options', () => {
  const options = [{ value: 'std', label: 'Standard' }, { value: 'exp', label: 'Express' }, 'none'];
  const schema = fieldsToSchema([{ name: 'speed', type: 'select', options }]);
  expect(schema?.['properties']).toEqual({
    speed: { enum: ['std', 'exp', 'none'], enumNames: ['Standard', 'Express', 'none'] },
  });
  expect(schemaToFields(schema)[0]?.options).toEqual([
    ...options.slice(0, 2),
    { value: 'none', label: 'none' },
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
