import type { Issue } from '../holdpoint-error.ts';
import { childPointer } from '../json-pointer.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { InferOutput, SchemaLike, StandardIssue, StandardSchema } from './schema-like.ts';

/** The result of a validation: the value as the schema returns it, or the issues. */
export type ValidationResult<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * True for a schema that validates by itself. The result of `z.toJSONSchema` counts as one: zod hides the original
 * schema in it. A spread copy of it is a plain JSON Schema.
 */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}

/**
 * Validates with the schema's own library, whose transforms and defaults apply, or with the JSON Schema validator,
 * which changes nothing. Rethrows errors of a library's callbacks; throws `INPUT_INVALID` for a JSON Schema that
 * {@link compileJsonSchema} rejects.
 */
export async function validateWithSchema<const Schema extends SchemaLike | boolean>(
  schema: Schema,
  value: unknown,
): Promise<ValidationResult<InferOutput<Schema>>> {
  if (!isStandardSchema(schema)) {
    const issues = compileJsonSchema(schema).validate(value);
    return issues.length > 0 ? { ok: false, issues } : { ok: true, value: value as InferOutput<Schema> };
  }
  const result = await schema['~standard'].validate(value);
  if (result.issues !== undefined) return { ok: false, issues: result.issues.map(toIssue) };
  return { ok: true, value: result.value as InferOutput<Schema> };
}

function toIssue(issue: StandardIssue): Issue {
  const keys = (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return { pointer: keys.map(String).reduce<string>(childPointer, ''), message: issue.message };
}
