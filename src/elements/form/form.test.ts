import { describe, expect, it } from 'vitest';
import { draftFrom, withDraft } from './draft.ts';
import type { Field } from './field.ts';
import { readDraft } from './read-draft.ts';
import { toField } from './to-field.ts';

const fieldOf = (schema: unknown, more: object = {}) =>
  toField(schema, { name: '', required: true, root: schema, ...more });
const kinds = (field: Field): unknown =>
  field.kind === 'object'
    ? Object.fromEntries(field.fields.map((one) => [one.name, kinds(one)]))
    : field.kind;

const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    plan: { oneOf: [{ const: 'free', title: 'Free' }, { const: 'pro' }] },
    topics: { type: 'array', items: { enum: ['a', 'b'] } },
    home: { $ref: '#/$defs/address' },
    nicknames: { type: 'array', items: { type: 'string' } },
    terms: { type: 'boolean' },
    nothing: { type: ['string', 'null'] },
    shape: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
  required: ['name', 'terms', 'nothing'],
  $defs: {
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
      required: ['street', 'city'],
    },
  },
};

describe('the fields of a schema', () => {
  it('have a control for what people fill in, and JSON for the rest', () => {
    expect(kinds(fieldOf(PERSON))).toEqual({
      name: 'text',
      age: 'number',
      plan: 'choice',
      topics: 'several',
      home: { street: 'text', city: 'text' },
      nicknames: 'list',
      terms: 'boolean',
      nothing: 'text',
      shape: 'json',
    });
  });

  it.each<[unknown, string]>([
    [{ type: 'string', format: 'email' }, 'email'],
    [{ type: 'string', format: 'date-time' }, 'datetime-local'],
    [{ type: 'string', writeOnly: true }, 'password'],
    [{ type: 'string', maxLength: 500 }, 'lines'],
  ])('%j is typed into %s', (schema, input) => {
    expect(fieldOf(schema)).toMatchObject({ kind: 'text', input });
  });

  it('are files where the schema, or an upload that is wanted, says so', () => {
    const reference = {
      type: 'object',
      properties: { fileId: { type: 'string' }, name: { type: 'string' } },
    };
    expect(fieldOf({ type: 'string', format: 'file', accept: 'image/*' })).toMatchObject({
      kind: 'file',
      file: { accept: 'image/*' },
    });
    expect(fieldOf(reference, { files: {} })).toMatchObject({ file: { members: ['fileId', 'name'] } });
    expect(fieldOf(reference).kind).toBe('object');
  });

  it.each([{ $ref: '#/nowhere' }, { $ref: '#' }, {}, true, undefined, { type: 'array', items: false }])(
    'of %j are JSON, and never an error',
    (schema) => {
      expect(fieldOf(schema).kind).toBe('json');
    },
  );

  it('of a schema that contains itself end somewhere', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    expect(JSON.stringify(kinds(fieldOf(tree)))).toContain('json');
  });
});

describe('what is entered', () => {
  it('keeps its types, and leaves out what was left empty', () => {
    const field = fieldOf(PERSON);
    let draft = draftFrom(field);
    for (const [name, value] of Object.entries({
      name: 'Ada',
      age: ' 36 ',
      plan: 1,
      topics: [1],
      terms: true,
    }))
      draft = withDraft(draft, [name], value);
    draft = withDraft(draft, ['nicknames', 0], 'Countess');
    expect(readDraft(field, draft)).toEqual({
      value: {
        name: 'Ada',
        age: 36,
        plan: 'pro',
        topics: ['b'],
        nicknames: ['Countess'],
        terms: true,
        nothing: null,
      },
      issues: [],
    });
  });

  it('that cannot be read is told where it is', () => {
    const field = fieldOf(PERSON);
    let draft = withDraft(draftFrom(field), ['age'], '1,5');
    draft = withDraft(draft, ['shape'], '{');
    draft = withDraft(draft, ['home', 'street'], 'High Street');
    expect(readDraft(field, draft).issues.map(({ pointer }) => pointer)).toEqual([
      '/name',
      '/age',
      '/home/city',
      '/shape',
    ]);
  });

  it('is refused as JSON that has a member twice', () => {
    const field = fieldOf({ type: 'object', properties: { shape: {} } });
    const draft = withDraft(draftFrom(field), ['shape'], '{"approved":false,"approved":true}');
    expect(readDraft(field, draft)).toMatchObject({
      issues: [{ pointer: '/shape', message: expect.stringContaining('/approved') }],
    });
  });

  it('comes back from what is edited as it was, with an empty text where one was', () => {
    const field = fieldOf(PERSON);
    const value = {
      name: '',
      age: 0,
      plan: 'free',
      topics: ['a'],
      home: { street: 'a', city: 'b' },
      nicknames: ['x', 'y'],
      terms: false,
      nothing: 'n',
      shape: [1],
    };
    expect(readDraft(field, draftFrom(field, value), { pointer: '', keepEmpty: true })).toEqual({
      value,
      issues: [],
    });
  });
});
