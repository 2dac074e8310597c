/**
 * The interfaces of standardschema.dev, declared by shape: libraries that implement them fit, and none is needed at
 * run time. A type test compares them with `@standard-schema/spec`.
 */

/** A schema that can validate (Standard Schema v1). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output>;
}

/** The properties of a Standard Schema; libraries that can convert have `jsonSchema`. */
export interface StandardProperties<Input = unknown, Output = Input> {
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

export interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12' | 'draft-07';
}

/** A value, or issues; only the presence of `issues` tells them apart. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
