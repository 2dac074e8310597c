import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../holdpoint-error.ts';
import type { JsonSchema } from './index.ts';
import { compileForeignSchema, compileJsonSchema } from './index.ts';

function issuesOf(schema: JsonSchema, value: unknown) {
  return compileJsonSchema(schema).validate(value);
}

function refusalOf(schema: unknown, limits?: Parameters<typeof compileJsonSchema>[1]): HoldpointError {
  try {
    compileJsonSchema(schema as JsonSchema, limits);
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return error;
    throw error;
  }
  throw new Error('expected the schema to be refused');
}

describe('the issues of a validation', () => {
  const person = {
    type: 'object',
    required: ['name', 'age'],
    properties: {
      name: { type: 'string', minLength: 1 },
      age: { type: 'integer', minimum: 0 },
      tags: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 2 },
    },
    additionalProperties: false,
  };

  it('returns no issue for a valid value', () => {
    expect(issuesOf(person, { name: 'Ada', age: 36, tags: ['a'] })).toEqual([]);
  });

  it('lists every leaf once, in the order of the schema, without wrappers', () => {
    expect(issuesOf(person, { name: '', age: 1.5, tags: ['a', 'c', 'd'], extra: 1 })).toMatchInlineSnapshot(`
      [
        {
          "message": "expected at least 1 character",
          "pointer": "/name",
        },
        {
          "message": "expected a whole number",
          "pointer": "/age",
        },
        {
          "message": "expected at most 2 items",
          "pointer": "/tags",
        },
        {
          "message": "expected one of "a", "b"",
          "pointer": "/tags/1",
        },
        {
          "message": "expected one of "a", "b"",
          "pointer": "/tags/2",
        },
        {
          "message": "expected no such member",
          "pointer": "/extra",
        },
      ]
    `);
  });

  it('points at a missing member', () => {
    expect(issuesOf(person, {})).toEqual([
      { pointer: '/name', message: 'expected the member "name"' },
      { pointer: '/age', message: 'expected the member "age"' },
    ]);
  });

  it('uses the empty pointer for the root', () => {
    expect(issuesOf({ type: ['string', 'null'] }, 1)).toEqual([
      { pointer: '', message: 'expected text or null' },
    ]);
  });

  it.each(['a b', 'a/b', 'a~b', 'a%b', '#', 'ä', '"', '__proto__', '', '100%25'])(
    'writes the member name %j as an RFC 6901 pointer',
    (name) => {
      const schema = { properties: Object.fromEntries([[name, { type: 'string', minLength: 2 }]]) };
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const value = JSON.parse(`{${JSON.stringify(name)}: "x"}`) as unknown;
      expect(issuesOf(schema, value)).toEqual([{ pointer, message: 'expected at least 2 characters' }]);
    },
  );

  it.each<[JsonSchema, unknown, string]>([
    [{ const: 1 }, 2, 'expected 1'],
    [{ enum: ['x'] }, 2, 'expected "x"'],
    [{ enum: [1, 2] }, 3, 'expected one of 1, 2'],
    [{ maxLength: 1 }, 'ab', 'expected at most 1 character'],
    [{ pattern: '^a$' }, 'b', 'expected text that matches ^a$'],
    [{ format: 'email' }, 'b', 'expected an email address'],
    [{ format: 'url' }, 'b', 'expected a URL'],
    [{ minimum: 3 }, 1, 'expected at least 3'],
    [{ maximum: 3 }, 4, 'expected at most 3'],
    [{ exclusiveMinimum: 3 }, 3, 'expected more than 3'],
    [{ exclusiveMaximum: 3 }, 3, 'expected less than 3'],
    [{ multipleOf: 3 }, 4, 'expected a multiple of 3'],
    [{ minItems: 1 }, [], 'expected at least 1 item'],
    [{ uniqueItems: true }, [1, 1], 'expected items that all differ'],
    [{ minProperties: 1 }, {}, 'expected at least 1 member'],
    [{ maxProperties: 0 }, { a: 1 }, 'expected at most 0 members'],
    [{ contains: { type: 'string' } }, [1, 2], 'expected at least one item of the required kind'],
    [
      { contains: { type: 'string' }, minContains: 2 },
      ['a', 2],
      'expected at least 2 items of the required kind',
    ],
    [{ not: { type: 'string' } }, 'a', 'expected a value that is not excluded'],
    [
      { oneOf: [{ type: 'number' }, { minimum: 1 }] },
      2,
      'expected a value that fits exactly one of the alternatives',
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 2, 'expected text or null'],
    [{ anyOf: [false] }, 2, 'expected a value that fits one of the alternatives'],
    [
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { if: false, else: { const: 'x' } } } },
      2,
      'expected "x"',
    ],
    [false, 2, 'expected nothing here'],
  ])('describes, for the schema %j and the value %j, the issue in one sentence', (schema, value, message) => {
    expect(issuesOf(schema, value)).toEqual([{ pointer: '', message }]);
  });

  it('names extra items, invalid names, and members that other members require', () => {
    expect(issuesOf({ prefixItems: [true], items: false }, [1, 2])).toEqual([
      { pointer: '/1', message: 'expected no further item' },
    ]);
    expect(issuesOf({ propertyNames: { pattern: '^a' } }, { b: 1 })).toEqual([
      { pointer: '/b', message: 'expected another name' },
    ]);
    expect(issuesOf({ dependentRequired: { a: ['b'] } }, { a: 1 })).toEqual([
      { pointer: '/b', message: 'expected the member "b"' },
    ]);
    expect(issuesOf({ dependencies: { a: ['b'] } }, { a: 1 })).toEqual([
      { pointer: '/b', message: 'expected the member "b"' },
    ]);
  });

  it('describes the closest alternative of a union', () => {
    const schema = {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, x: { type: 'string' }, y: true },
          required: ['kind', 'y'],
        },
        { type: 'object', properties: { kind: { const: 'b' }, x: { type: 'number' } }, required: ['kind'] },
        { type: 'string' },
      ],
    };
    expect(issuesOf(schema, { kind: 'b', x: 'no' })).toEqual([
      { pointer: '/x', message: 'expected a number' },
    ]);
  });

  it('limits the issues of a value with very many errors', () => {
    const issues = issuesOf(
      { items: { type: 'string' } },
      Array.from({ length: 300_000 }, () => 1),
    );
    expect(issues[0]).toEqual({ pointer: '/0', message: 'expected text' });
    expect(issues.length).toBeLessThanOrEqual(100);
  });
});

describe('validating values that are not JSON', () => {
  it.each<[unknown, string]>([
    [Number.NaN, 'expected JSON, got NaN'],
    [undefined, 'expected JSON, got nothing'],
    [() => 1, 'expected JSON, got a function'],
    [1n, 'expected JSON, got a bigint'],
    [Symbol('s'), 'expected JSON, got a symbol'],
    [new Date(0), 'expected JSON, got an object of its own class'],
  ])('reports %o as an issue and does not throw', (value, message) => {
    expect(issuesOf({}, value)).toEqual([{ pointer: '', message }]);
    expect(issuesOf({}, { a: [value] })).toEqual([{ pointer: '/a/0', message }]);
  });

  it('treats an undefined member as absent', () => {
    expect(issuesOf({ required: ['a'] }, { a: undefined })).toEqual([
      { pointer: '/a', message: 'expected the member "a"' },
    ]);
    expect(issuesOf({ properties: { a: { type: 'string' } } }, { a: undefined })).toEqual([]);
  });

  it('reports a value that contains itself as an issue', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(issuesOf({}, value)).toEqual([
      { pointer: '', message: 'expected JSON, got more than 200 levels of nesting' },
    ]);
  });
});

describe('member names that prototypes have too', () => {
  it('does not count a prototype member as a required member', () => {
    expect(issuesOf({ required: ['toString', '__proto__'] }, {})).toHaveLength(2);
    expect(issuesOf({ required: ['toString'] }, { toString: 1 })).toEqual([]);
  });

  it('validates a member named constructor like other members', () => {
    const schema = { properties: { constructor: { type: 'string' } } };
    expect(issuesOf(schema, {})).toEqual([]);
    expect(issuesOf(schema, { constructor: 1 })).toEqual([
      { pointer: '/constructor', message: 'expected text' },
    ]);
  });

  it('changes no prototype for a member named __proto__', () => {
    const text = '{"properties":{"__proto__":{"type":"string"}},"__proto__":{"type":"null"}}';
    const schema = JSON.parse(text) as JsonSchema;
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as unknown;
    expect(issuesOf(schema, value)).toEqual([{ pointer: '/__proto__', message: 'expected text' }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('ignores a format with the name of a prototype member', () => {
    for (const format of ['constructor', 'hasOwnProperty', '__defineGetter__', '__proto__']) {
      expect(issuesOf({ format }, 'x')).toEqual([]);
    }
  });
});

describe('invalid schemas', () => {
  it.each<[string, unknown, string]>([
    ['a remote reference', { $ref: 'https://example.com/x.json' }, '/$ref'],
    ['a relative reference', { properties: { a: { $ref: 'other.json#/a' } } }, '/properties/a/$ref'],
    ['a reference without a target', { items: { $ref: '#/$defs/none' } }, '/items/$ref'],
    ['a reference to a prototype member', { $ref: '#/constructor' }, '/$ref'],
    ['an unknown anchor', { $ref: '#none' }, '/$ref'],
    ['a reference to itself', { $ref: '#' }, ''],
    ['an embedded $id', { properties: { a: { $id: 'https://example.com/a' } } }, '/properties/a/$id'],
    ['a dynamic reference', { $dynamicRef: '#x' }, '/$dynamicRef'],
    ['an invalid expression', { pattern: '[' }, '/pattern'],
    ['a keyword of the wrong shape', { required: 'a' }, '/required'],
    ['an unknown type', { type: 'float' }, '/type'],
    ['a subschema that is a number', { properties: { a: 1 } }, '/properties/a'],
    ['a boolean bound outside draft 4', { exclusiveMinimum: true }, '/exclusiveMinimum'],
    ['a string as the schema', 'x', ''],
    ['null', null, ''],
    ['a function in the schema', { const: () => 1 }, ''],
  ])('throws INPUT_INVALID for %s', (_, schema, pointer) => {
    expect(refusalOf(schema).issues.map((issue) => issue.pointer)).toContain(pointer);
  });

  it('throws INPUT_INVALID for a circle of references that visits no part of the value', () => {
    const circle = {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
    };
    expect(refusalOf(circle).message).toContain('do not lead back here at once');
    expect(refusalOf({ anyOf: [{ type: 'string' }, { $ref: '#' }] }).issues).toHaveLength(1);
  });

  it('throws INPUT_INVALID for schemas past the limits', () => {
    let deep: JsonSchema = {};
    for (let depth = 0; depth < 60; depth += 1) deep = { not: deep };
    expect(refusalOf(deep).message).toContain('50 levels');
    expect(refusalOf({ description: 'x'.repeat(100_001) }).message).toContain('100000 characters');
    expect(refusalOf({ enum: Array.from({ length: 10_001 }, (_, index) => index) }).message).toContain(
      '10000 values',
    );
    const patterns = Array.from({ length: 100 }, (_, index) => ({
      pattern: `^${'ab?'.repeat(80)}${index}$`,
    }));
    expect(refusalOf({ anyOf: patterns }).message).toContain('20000 characters of patterns');
    const cyclic: Record<string, unknown> = {};
    cyclic['not'] = cyclic;
    expect(refusalOf(cyclic).code).toBe('INPUT_INVALID');
    expect(refusalOf({ type: 'string' }, { maxLength: 5 }).code).toBe('INPUT_INVALID');
  });
});

describe('references inside a schema', () => {
  it('resolves references by pointer, by anchor, with percent-encoding and into unknown keywords', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/root',
      properties: {
        a: { $ref: '#/$defs/a%20b~1c' },
        b: { $ref: '#named' },
        c: { $ref: '#/components/schemas/C' },
      },
      $defs: { 'a b/c': { type: 'string' }, x: { $anchor: 'named', type: 'null' } },
      components: { schemas: { C: { type: 'boolean' } } },
    };
    expect(issuesOf(schema, { a: 'x', b: null, c: true })).toEqual([]);
    expect(issuesOf(schema, { a: 1, b: 1, c: 1 }).map((issue) => issue.message)).toEqual([
      'expected text',
      'expected null',
      'expected true or false',
    ]);
  });

  it('follows a recursive reference into the value', () => {
    const tree = {
      properties: { children: { items: { $ref: '#' } }, name: { type: 'string' } },
      required: ['name'],
    };
    expect(issuesOf(tree, { name: 'a', children: [{ name: 'b', children: [{}] }] })).toEqual([
      { pointer: '/children/0/children/0/name', message: 'expected the member "name"' },
    ]);
  });

  it('resolves references by the draft that the schema names', () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/a',
      type: 'null',
      definitions: { a: { type: 'string' } },
    };
    expect(issuesOf(draft7, 'x')).toEqual([]);
    expect(
      issuesOf({ ...draft7, $schema: 'https://json-schema.org/draft/2020-12/schema' }, 'x'),
    ).toHaveLength(1);
    const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true };
    expect(issuesOf(draft4, 1)).toHaveLength(1);
  });
});

describe('bounded work of a validation', () => {
  it('stops a validation whose alternatives multiply with each level', () => {
    const schema = {
      anyOf: [
        { items: { $ref: '#' }, minItems: 1 },
        { items: { $ref: '#' }, minItems: 1 },
      ],
    };
    let value: unknown[] = [];
    for (let depth = 0; depth < 60; depth += 1) value = [value];
    expect(compileJsonSchema(schema, { maxSteps: 10_000 }).validate(value)).toEqual([
      { pointer: '', message: 'expected a value that can be checked in 10000 steps' },
    ]);
  });

  it('counts the steps of descriptions and of the evaluation against one limit', () => {
    const $defs: Record<string, unknown> = { d16: { type: 'string' } };
    for (let level = 0; level < 16; level += 1) {
      const $ref = `#/$defs/d${level + 1}`;
      $defs[`d${level}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    const schema = { $ref: '#/$defs/d0', $defs };
    expect(compileJsonSchema(schema).validate('text')).toEqual([]);
    expect(compileJsonSchema(schema).validate(5)).toEqual([
      { pointer: '', message: 'expected a value that can be checked in 1000000 steps' },
    ]);
  });

  it.each([
    ['a pattern beside its format', { items: { pattern: '^a$', format: 'email' } }, 'x'],
    ['a union', { items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, 1],
    ['too few items of a kind', { items: { contains: { type: 'string' }, minContains: 1 } }, [1, 2]],
  ])('describes 20,000 failures of %s within the limit', (_name, schema, item) => {
    const issues = compileJsonSchema(schema).validate(Array.from({ length: 20_000 }, () => item));
    expect(issues).toHaveLength(100);
    expect(issues[99]?.pointer).toBe('/99');
  });

  it('stops a validation whose references multiply', () => {
    const $defs: Record<string, unknown> = { d40: { type: 'string' } };
    for (let level = 0; level < 40; level += 1) {
      const $ref = `#/$defs/d${level + 1}`;
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
    }
    expect(issuesOf({ $ref: '#/$defs/d0', $defs }, 'x')).toHaveLength(1);
    expect(issuesOf({ type: 'string' }, 'x')).toEqual([]);
  });

  it('reports texts and arrays past the limits instead of checking them', () => {
    expect(issuesOf({ pattern: '^a*$' }, 'a'.repeat(100_000))).toEqual([]);
    expect(issuesOf({ pattern: '^a*$' }, 'a'.repeat(100_001))).toEqual([
      { pointer: '', message: 'expected at most 100000 characters where a pattern applies' },
    ]);
    expect(issuesOf({ type: 'string' }, 'a'.repeat(100_001))).toEqual([]);
    expect(issuesOf({ not: { pattern: 'a+b' } }, 'a'.repeat(100_001))).toHaveLength(1);
    const form = { properties: { to: { pattern: '^.+@.+$' }, text: { type: 'string' } } };
    expect(issuesOf(form, { to: 'a@b', text: 'x'.repeat(200_000) })).toEqual([]);
    expect(issuesOf({ patternProperties: { 'a+b': true } }, { ['a'.repeat(1001)]: 1 })).toHaveLength(1);
    expect(
      issuesOf(
        { uniqueItems: true },
        Array.from({ length: 2001 }, (_, index) => index),
      ),
    ).toHaveLength(1);
  });

  it.each([
    'url',
    'uri',
    'uri-reference',
    'uri-template',
    'email',
    'hostname',
    'date-time',
    'duration',
    'regex',
    'json-pointer',
    'ipv6',
  ])('checks the format %s of a long text in bounded time', (format) => {
    for (const unit of ['a', 'a.', 'a-', '1:', '%41', '/a', '{a}', '@', '~0', ' ']) {
      for (const start of ['', 'http://', '"', '#/', 'P']) {
        const text = `${start}${unit.repeat(50_000 / unit.length)}!`;
        expect(Array.isArray(issuesOf({ format }, text))).toBe(true);
      }
    }
  });
});

describe('compileJsonSchema', () => {
  it('compiles a schema object once and does not change it', () => {
    const schema = Object.freeze({
      $ref: '#/$defs/a',
      $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    });
    expect(compileJsonSchema(schema)).toBe(compileJsonSchema(schema));
    expect(Object.getOwnPropertyNames(schema.$defs.a)).toEqual(['type']);
  });

  it('throws only INPUT_INVALID, for any schema and any value', () => {
    const key = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          'type',
          'properties',
          'items',
          '$ref',
          'anyOf',
          'required',
          'pattern',
          'format',
          'enum',
          'not',
          'allOf',
          'if',
          'then',
          'patternProperties',
          'minimum',
          'uniqueItems',
          '$defs',
          '$id',
          'contains',
          'dependencies',
          'unevaluatedProperties',
          'a',
          '__proto__',
          'constructor',
        ),
      },
      { weight: 1, arbitrary: fc.string() },
    );
    const leaf = fc.oneof(
      fc.constantFrom<unknown>(
        'string',
        'object',
        'array',
        '#',
        '#/properties/a',
        '#/$defs/a',
        'email',
        'url',
        '^a+$',
        '(a+)+',
        'a',
        1,
        true,
        false,
        null,
      ),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('node')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    let compiledCount = 0;
    fc.assert(
      fc.property(node, fc.oneof(node, fc.jsonValue(), fc.anything()), (schema, value) => {
        try {
          const issues = compileJsonSchema(schema as JsonSchema).validate(value);
          compiledCount += 1;
          expect(issues.every((issue) => issue.pointer === '' || issue.pointer.startsWith('/'))).toBe(true);
        } catch (error) {
          if (!HoldpointError.is(error, 'INPUT_INVALID')) throw error;
        }
      }),
      { numRuns: runs(600) },
    );
    expect(compiledCount).toBeGreaterThan(runs(15));
  });
});

describe('compileForeignSchema', () => {
  const DANGEROUS = { properties: { code: { pattern: '^(a+)+$' } } };

  it('checks a pattern that would hang as a native expression', async () => {
    const compiled = await compileForeignSchema(DANGEROUS);
    expect(compiled.validate({ code: 'aaa' })).toEqual([]);
    expect(compiled.validate({ code: `${'a'.repeat(50_000)}!` })).toEqual([
      { pointer: '/code', message: 'expected text that matches ^(a+)+$' },
    ]);
  });

  it('rejects look-around in a pattern and in patternProperties', async () => {
    await expect(compileForeignSchema({ items: { pattern: '(?!a)b' } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ pointer: '/items/pattern', message: 'expected a pattern without look-around' }],
    });
    await expect(compileForeignSchema({ patternProperties: { '(?=/)': true } })).rejects.toMatchObject({
      issues: [{ pointer: '/patternProperties/(?=~1)' }],
    });
  });

  it('stops large patterns over long texts by counted steps', async () => {
    const schema = { items: { pattern: '[ab]{900}$' } };
    const texts = Array.from({ length: 20 }, () => 'ab'.repeat(50_000));
    expect((await compileForeignSchema(schema)).validate(texts)).toEqual([
      { pointer: '', message: 'expected a value that can be checked in 1000000 steps' },
    ]);
  });
});
