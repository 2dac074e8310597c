/**
 * core/schema: takes schemas of any library; returns JSON Schema and validated values. Imports files of core and
 * `@cfworker/json-schema`; no Node built-ins and no code generation, so that the same checks run in a browser under
 * a strict content security policy.
 */
export { compileForeignSchema, compileJsonSchema } from './compile-json-schema.ts';
export type { CompiledSchema } from './create-schema-compiler.ts';
export type {
  InferInput,
  InferOutput,
  JsonSchema,
  JsonSchemaObject,
  SchemaLike,
  StandardSchema,
} from './schema-like.ts';
export { hasSecrets, replaceParts, replaceSecrets } from './secret-members.ts';
export { toJsonSchema } from './to-json-schema.ts';
export { isStandardSchema, validateWithSchema } from './validate-with-schema.ts';
