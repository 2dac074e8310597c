import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { HoldpointError } from '../holdpoint-error.ts';
import type { InferInput, InferOutput, SchemaLike, StandardSchema } from './index.ts';
import { compileJsonSchema, isStandardSchema, toJsonSchema, validateWithSchema } from './index.ts';

const zodSchema = z.object({ name: z.string(), count: z.string().transform(Number) });
const valibotSchema = v.object({ name: v.string(), count: v.pipe(v.string(), v.transform(Number)) });
const arktypeSchema = type({ name: 'string', count: 'string.numeric.parse' });
interface In {
  name: string;
  count: string;
}
interface Out {
  name: string;
  count: number;
}

describe('SchemaLike', () => {
  it('accepts the schemas of zod, valibot and arktype, and plain JSON Schema', () => {
    expectTypeOf(zodSchema).toExtend<SchemaLike<Out>>();
    expectTypeOf(valibotSchema).toExtend<SchemaLike<Out>>();
    expectTypeOf(arktypeSchema).toExtend<SchemaLike<Out>>();
    expectTypeOf<{ type: 'object' }>().toExtend<SchemaLike<Out>>();
    expectTypeOf(zodSchema).not.toExtend<SchemaLike<string>>();
    expectTypeOf(arktypeSchema).not.toExtend<SchemaLike<string>>();
  });

  it('infers the input and the output type', () => {
    expectTypeOf<InferInput<typeof zodSchema>>().toEqualTypeOf<In>();
    expectTypeOf<InferOutput<typeof zodSchema>>().toEqualTypeOf<Out>();
    expectTypeOf<InferInput<typeof valibotSchema>>().toEqualTypeOf<In>();
    expectTypeOf<InferOutput<typeof valibotSchema>>().toEqualTypeOf<Out>();
    expectTypeOf<InferInput<typeof arktypeSchema>>().toEqualTypeOf<In>();
    expectTypeOf<InferOutput<typeof arktypeSchema>>().toEqualTypeOf<Out>();
    expectTypeOf<InferInput<{ type: 'string' }>>().toBeUnknown();
    expectTypeOf<InferOutput<{ type: 'string' }>>().toBeUnknown();
  });

  it('declares the interfaces of the Standard Schema specification', () => {
    expectTypeOf<StandardSchemaV1<In, Out>>().toExtend<StandardSchema<In, Out>>();
    expectTypeOf<StandardSchemaV1<In, Out> & StandardJSONSchemaV1<In, Out>>().toExtend<
      StandardSchema<In, Out>
    >();
    expectTypeOf<StandardSchema<In, Out>>().toExtend<StandardSchemaV1<In, Out>>();
  });

  it('distinguishes a Standard Schema from a JSON Schema', () => {
    expect(isStandardSchema(zodSchema)).toBe(true);
    expect(isStandardSchema(valibotSchema)).toBe(true);
    expect(isStandardSchema(arktypeSchema)).toBe(true);
    expect(isStandardSchema({ type: 'string' })).toBe(false);
    expect(isStandardSchema({ '~standard': {} })).toBe(false);
    expect(isStandardSchema({ ...z.toJSONSchema(z.string()) })).toBe(false);
    expect(isStandardSchema(null)).toBe(false);
  });

  it('accepts the result of z.toJSONSchema, which contains its schema', async () => {
    const written = z.toJSONSchema(z.string());
    expect(toJsonSchema(written)).toEqual(written);
    expect(await validateWithSchema(written, 1)).toHaveProperty('ok', false);
    const plain = Object.fromEntries(Object.entries(written));
    expect(compileJsonSchema(plain).validate(1)).toEqual([{ pointer: '', message: 'expected text' }]);
  });
});

describe('toJsonSchema', () => {
  it('writes the input of a zod object with no more keywords than zod does', () => {
    const schema = z.object({ approved: z.boolean(), reason: z.string().optional() });
    expect(toJsonSchema(schema)).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
      required: ['approved'],
    });
  });

  it('writes the input of a schema, in which a member with a default is optional', () => {
    const schema = z.object({ count: z.number().default(1) });
    expect(toJsonSchema(schema)).not.toHaveProperty('required');
  });

  it('writes arktype schemas', () => {
    expect(toJsonSchema(type({ name: 'string', 'age?': 'number' }))).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'number' } },
      required: ['name'],
    });
  });

  it('returns a plain JSON Schema unchanged', () => {
    const schema = { type: 'string' };
    expect(toJsonSchema(schema)).toBe(schema);
    expect(toJsonSchema(true)).toBe(true);
  });

  it('uses draft 7 when the library supports nothing newer', () => {
    const old = standardSchema(({ target }) => {
      if (target !== 'draft-07') throw new Error('unknown target');
      return { type: 'null' };
    });
    expect(toJsonSchema(old)).toEqual({ type: 'null' });
  });

  it('names a library that cannot convert, and what to do', () => {
    const attempt = () => toJsonSchema(valibotSchema);
    expect(attempt).toThrow(/valibot schema cannot be turned into JSON Schema.*pass a JSON Schema instead/);
    expect(attempt).toThrow(expect.toSatisfy((error) => HoldpointError.is(error, 'INPUT_INVALID')));
  });

  it('converts a valibot schema with valibot’s Standard JSON Schema package', async () => {
    const schema = toStandardJsonSchema(
      v.object({ name: v.string(), email: v.optional(v.pipe(v.string(), v.email())) }),
    );
    expect(toJsonSchema(schema)).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, email: { type: 'string', format: 'email' } },
      required: ['name'],
    });
    expect(await validateWithSchema(schema, { name: 'x', email: 'nope' })).toMatchObject({
      ok: false,
      issues: [{ pointer: '/email' }],
    });
  });

  it('reports why a library cannot convert a schema', () => {
    expect(() => toJsonSchema(z.object({ at: z.date() }))).toThrow(/zod cannot write the input.*Date/);
  });

  it('throws INPUT_INVALID for a value that is not a schema', () => {
    expect(() => toJsonSchema('x' as unknown as SchemaLike)).toThrow(
      'Expected a Standard Schema or a JSON Schema, got a string.',
    );
  });
});

describe('validateWithSchema', () => {
  it.each<[string, SchemaLike]>([
    ['zod', zodSchema],
    ['valibot', valibotSchema],
    ['arktype', arktypeSchema],
  ])('returns the value as %s transforms it', async (_, schema) => {
    expect(await validateWithSchema(schema, { name: 'a', count: '2' })).toEqual({
      ok: true,
      value: { name: 'a', count: 2 },
    });
  });

  it.each<[string, SchemaLike]>([
    ['zod', z.object({ 'a/b': z.array(z.object({ c: z.string() })) })],
    ['valibot', v.object({ 'a/b': v.array(v.object({ c: v.string() })) })],
    ['arktype', type({ 'a/b': type({ c: 'string' }).array() })],
  ])('writes the paths of %s as pointers', async (_, schema) => {
    const result = await validateWithSchema(schema, { 'a/b': [{ c: 1 }] });
    expect(result.ok ? [] : result.issues.map((issue) => issue.pointer)).toEqual(['/a~1b/0/c']);
  });

  it('awaits a schema that validates asynchronously', async () => {
    const schema = z.string().refine(async (text) => Promise.resolve(text === 'x'), 'must be x');
    expect(await validateWithSchema(schema, 'x')).toEqual({ ok: true, value: 'x' });
    expect(await validateWithSchema(schema, 'y')).toEqual({
      ok: false,
      issues: [{ pointer: '', message: 'must be x' }],
    });
  });

  it('uses the JSON Schema validator for a plain JSON Schema', async () => {
    const schema = { type: 'object', required: ['a'] };
    expect(await validateWithSchema(schema, { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(await validateWithSchema(schema, {})).toEqual({
      ok: false,
      issues: [{ pointer: '/a', message: 'expected the member "a"' }],
    });
    expect(await validateWithSchema(false, 1)).toMatchObject({ ok: false });
  });

  it('types the result of a validation by its schema', async () => {
    const result = await validateWithSchema(zodSchema, { name: 'a', count: '1' });
    if (result.ok) expectTypeOf(result.value).toEqualTypeOf<Out>();
    expect(result.ok).toBe(true);
  });

  it('accepts the same values by zod and by the JSON Schema of a zod schema', async () => {
    const schema = z.object({
      email: z.email(),
      id: z.uuid(),
      site: z.url(),
      at: z.iso.datetime(),
      kind: z.enum(['a', 'b']),
      tags: z.array(z.string().min(1)).max(3),
      next: z.union([z.string(), z.null()]).optional(),
    });
    const value = {
      email: 'ada@example.com',
      id: '0190163d-8694-739b-aea5-966c26f8ad91',
      site: 'https://example.com/a',
      at: '2026-01-31T10:00:00Z',
      kind: 'a',
      tags: ['x'],
      next: null,
    };
    const { validate } = compileJsonSchema(toJsonSchema(schema));
    expect(validate(value)).toEqual([]);
    for (const wrong of [
      { email: 'x' },
      { id: 'x' },
      { site: 'x y' },
      { at: 'x' },
      { kind: 'c' },
      { tags: [''] },
      { next: 1 },
    ]) {
      expect(validate({ ...value, ...wrong })).not.toEqual([]);
      expect(await validateWithSchema(schema, { ...value, ...wrong })).toHaveProperty('ok', false);
    }
  });

  it('names the format when a library writes a format’s pattern beside it', () => {
    const schema = toJsonSchema(z.object({ email: z.email() }));
    expect(JSON.stringify(schema)).toContain('pattern');
    expect(compileJsonSchema(schema).validate({ email: 'nope' })).toEqual([
      { pointer: '/email', message: 'expected an email address' },
    ]);
  });
});

function standardSchema(input: (options: { target: string }) => Record<string, unknown>): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value }),
      jsonSchema: { input, output: input },
    },
  };
}
