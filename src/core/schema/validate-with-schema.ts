import type { Issue } from '../holdpoint-error.ts';
import { childPointer } from '../issues/index.ts';
import { compileJsonSchema } from './compile-json-schema.ts';
import type { InferOutput, SchemaLike } from './schema-like.ts';
import { isStandardSchema } from './schema-like.ts';
import type { StandardIssue } from './standard-schema.ts';

/** What a validation found: the value as the schema gives it, or what is wrong with it. */
export type ValidationResult<Output> =
  | { readonly ok: true; readonly value: Output }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Validates with the schema's own library, whose transforms and defaults give the value, or with
 * the JSON Schema validator, which changes nothing. What a library's own callback throws is thrown on;
 * a JSON Schema that {@link compileJsonSchema} refuses throws `INPUT_INVALID`.
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
