import { describe, expect, it } from 'vitest';
import { german } from '../base/german.ts';
import { setStrings } from '../base/strings.ts';
import { draftFrom, withDraft } from './draft.ts';
import type { Field } from './field.ts';
import { readDraft, takenAs } from './read-draft.ts';
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
  it('maps each common schema to its control, and every other schema to JSON', () => {
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
  ])('uses, for the schema %j, the input type %s', (schema, input) => {
    expect(fieldOf(schema)).toMatchObject({ kind: 'text', input });
  });

  it.each([
    [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'string' }] }, ['a', 'b']],
    [{ oneOf: [{ type: 'string' }, { type: 'string', enum: ['a', 'b'] }] }, ['a', 'b']],
    [{ anyOf: [{ const: 'a' }, { const: 'b', title: 'B' }, { type: 'string', minLength: 2 }] }, ['a', 'b']],
    [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'string' }, { type: 'null' }] }, ['a', 'b']],
  ])('maps a union of choices and a text, %j, to a choice with another text', (schema, values) => {
    const field = fieldOf(schema);
    if (field.kind !== 'choice') throw new Error(field.kind);
    expect([field.options.map(({ value }) => value), field.allowsOther]).toEqual([values, true]);
    expect(readDraft(field, 1)).toEqual({ value: 'b', issues: [] });
    expect(readDraft(field, 'Rear Window')).toEqual({ value: 'Rear Window', issues: [] });
    expect(readDraft(field, '').issues).toHaveLength(1);
    expect([draftFrom(field, 'b'), draftFrom(field, 'c'), draftFrom(field)]).toEqual([1, 'c', undefined]);
  });

  it('keeps a choice without a text as a choice only', () => {
    expect(fieldOf({ anyOf: [{ enum: ['a'] }, { type: 'number' }] })).toMatchObject({ kind: 'json' });
    expect(fieldOf({ enum: ['a', 'b'] })).not.toHaveProperty('allowsOther');
  });

  it('maps a schema to a file field when the schema or an upload interrupt asks for a file', () => {
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
    'maps the schema %j to a JSON field without an error',
    (schema) => {
      expect(fieldOf(schema).kind).toBe('json');
    },
  );

  it('maps a recursive schema to a finite number of fields', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } };
    expect(JSON.stringify(kinds(fieldOf(tree)))).toContain('json');
  });
});

describe('reading a draft', () => {
  it('keeps the types of the values and leaves out empty fields', () => {
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

  it('reports the pointer of each value that cannot be read', () => {
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

  it.each([
    [{ type: 'integer' }, 'ten'],
    [{}, '{'],
    [{ type: 'array', items: { type: 'number' } }, ['abc']],
    [{ type: 'object', properties: { size: { type: 'number' } } }, { size: 'abc' }],
    [{ type: 'object', properties: { size: { type: 'number' } }, required: ['size'] }, { size: 'abc' }],
  ])('reports unreadable text in an optional group: %j with the draft %j', (schema, text) => {
    const group = { type: 'object', properties: { batch: schema, dryRun: { type: 'boolean' } } };
    const field = fieldOf({ type: 'object', properties: { group } });
    const draft = withDraft(draftFrom(field), ['group', 'batch'], text);
    const { issues } = readDraft(field, draft);
    expect(issues.map(({ pointer }) => pointer)).toEqual([expect.stringMatching(/^\/group\/batch/)]);
  });

  it.each([
    [{ type: 'integer' }, '9007199254740993', '9007199254740992'],
    [{ type: 'number' }, '-12345678901234567890', '-12345678901234567000'],
    [{ type: 'number' }, '0.1234567890123456789', '0.12345678901234568'],
    [{ type: 'number' }, '1e-400', '0'],
    [{}, '{"note":"9007199254740993","ids":[1,9007199254740993]}', '9007199254740992'],
  ])('refuses, for the schema %j, the number in %j that would be sent as %s', (schema, text, rounded) => {
    expect(readDraft(fieldOf(schema), text).issues).toEqual([
      { pointer: '', message: expect.stringContaining(rounded) },
    ]);
  });

  it.each([
    [{ type: 'integer' }, '9007199254740994', 9_007_199_254_740_994],
    [{ type: 'number' }, '+00.10', 0.1],
    [{ type: 'number' }, '-0.0', -0],
    [{ type: 'number' }, '1000e-6', 0.001],
    [{ type: 'number' }, '1200000e20', 1.2e26],
    [{}, '{"note":"9007199254740993","share":0.10000000000000001}', { note: '9007199254740993', share: 0.1 }],
  ])('reads, for the schema %j, the number in %j exactly', (schema, text, value) => {
    expect(readDraft(fieldOf(schema), text)).toEqual({ value, issues: [] });
  });

  it('refuses a number whose point may separate thousands, and names both meanings', () => {
    const read = (text: string) => readDraft(fieldOf({ type: 'number' }), text);
    try {
      setStrings({}, 'en');
      expect(read('1.000').issues).toEqual([
        { pointer: '', message: '“1.000” can mean 1 or 1000. Write 1000 without a point, or 1.' },
      ]);
      expect(read('12.500').issues).toHaveLength(1);
      expect(['1.125', '0.500', '1.0000', '1234.500'].map((text) => read(text).value)).toEqual([
        1.125, 0.5, 1, 1234.5,
      ]);
      setStrings(german, 'de');
      expect(read('1.125').issues).toEqual([
        {
          pointer: '',
          message: '„1.125“ kann 1.125 oder 1125 bedeuten. Schreiben Sie 1125 ohne Punkt, oder 1.1250.',
        },
      ]);
      expect(read('1.1250').value).toBe(1.125);
    } finally {
      setStrings({}, 'en');
    }
  });

  it('leaves out an optional group whose required members are all empty', () => {
    const inner = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] };
    const group = { type: 'object', properties: { inner }, required: ['inner'] };
    const field = fieldOf({ type: 'object', properties: { group } });
    expect(readDraft(field, draftFrom(field))).toEqual({ value: {}, issues: [] });
  });

  it('rejects JSON that repeats a member', () => {
    const field = fieldOf({ type: 'object', properties: { shape: {} } });
    const draft = withDraft(draftFrom(field), ['shape'], '{"approved":false,"approved":true}');
    expect(readDraft(field, draft)).toMatchObject({
      issues: [{ pointer: '/shape', message: expect.stringContaining('/approved') }],
    });
  });

  it('restores an edited value unchanged, including empty strings', () => {
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

describe('an answer without a type', () => {
  const ANY = {};
  const TEXT_OR_FLAG = { anyOf: [{ type: 'string' }, { type: 'boolean' }] };
  it.each<[object, string, unknown, string]>([
    [ANY, 'retry', 'retry', 'text'],
    [ANY, 'APPROVED', 'APPROVED', 'text'],
    [ANY, 'Main Street 1', 'Main Street 1', 'text'],
    [ANY, '1. Call Ana', '1. Call Ana', 'text'],
    [ANY, 'true', true, 'JSON'],
    [ANY, '42', 42, 'JSON'],
    [ANY, '"42"', '42', 'JSON'],
    [ANY, '{"a": [1]}', { a: [1] }, 'JSON'],
    [TEXT_OR_FLAG, '42', '42', 'text'],
    [TEXT_OR_FLAG, 'true', true, 'JSON'],
    [{ type: ['string', 'number'] }, '42', 42, 'JSON'],
    [{ type: ['string', 'number'] }, 'true', 'true', 'text'],
  ])('%j reads %j as %j, and says %s', (schema, typed, value, taken) => {
    const field = fieldOf(schema);
    if (field.kind !== 'json') throw new Error(field.kind);
    expect(readDraft(field, typed)).toEqual({ value, issues: [] });
    expect(takenAs(field, typed)).toBe(taken);
  });

  it.each(['{"a": }', '[1', '"open'])(
    'reports %s, which looks like JSON, instead of sending it as text',
    (typed) => {
      const field = fieldOf(ANY);
      expect(readDraft(field, typed).issues[0]?.message).toMatch(
        /^This looks like JSON but does not parse: /,
      );
    },
  );

  it.each([{ type: 'object' }, { type: 'array' }, { anyOf: [{ type: 'number' }, { type: 'boolean' }] }])(
    'takes JSON only where the schema %j takes no text',
    (schema) => {
      const field = fieldOf(schema);
      expect(readDraft(field, 'retry').issues[0]?.message).toMatch(/^This is not JSON: /);
    },
  );

  it('says nothing of an empty box', () => {
    const field = fieldOf(ANY);
    if (field.kind !== 'json') throw new Error(field.kind);
    expect([takenAs(field, ''), takenAs(field, '{')]).toEqual([undefined, undefined]);
  });
});
