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
 * The interfaces of standardschema.dev, declared by shape: libraries that implement them fit, and none is needed at
 * run time. A type test compares them with `@standard-schema/spec`.
 */

/** A schema that can validate (Standard Schema v1). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>;
}

/** The properties of a Standard Schema; libraries that can convert have `jsonSchema`. */
interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly jsonSchema?: StandardJsonSchemaConverter | undefined;
}

/** The two directions of Standard JSON Schema v1; both may throw for an unsupported target. */
export interface StandardJsonSchemaConverter {
  readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
  readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>;
}

interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12' | 'draft-07';
}

/** A value, or issues; only the presence of `issues` tells them apart. */
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
