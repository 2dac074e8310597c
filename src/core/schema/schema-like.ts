import type { StandardSchema } from './standard-schema.ts';

/** A JSON Schema in object form. The absent `~standard` keeps it apart from a Standard Schema. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
  readonly '~standard'?: never;
}

/** A JSON Schema: `true` accepts everything, `false` nothing. */
export type JsonSchema = boolean | JsonSchemaObject;

/** The schema type of all options: a Standard Schema (zod, valibot, arktype, …) or a JSON Schema object. */
export type SchemaLike<Output = unknown> = StandardSchema<unknown, Output> | JsonSchemaObject;

/** The type a schema accepts; `unknown` for a plain JSON Schema. */
export type InferInput<Schema> = TypesOf<Schema> extends { readonly input: infer Input } ? Input : unknown;

/** The type a schema returns; `unknown` for a plain JSON Schema. */
export type InferOutput<Schema> =
  TypesOf<Schema> extends { readonly output: infer Output } ? Output : unknown;

type TypesOf<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types>
  : unknown;

/**
 * True for a schema that validates by itself. The result of `z.toJSONSchema` counts as one: zod hides the original
 * schema in it. A spread copy of it is a plain JSON Schema.
 */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}
