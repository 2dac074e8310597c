/**
 * core/schema/evaluate: makes a validator of a JSON Schema. What judges patterns, checks formats, follows references and finds
 * words is given to it, so that a page can load each with the first schema that needs it.
 */
export { createSchemaCompiler } from './create-schema-compiler.ts';
export type { CompiledSchema, CompileSchema } from './create-schema-compiler.ts';
export type { Failure } from './evaluate-schema.ts';
