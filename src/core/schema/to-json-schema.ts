import { HoldpointError } from '../holdpoint-error.ts';
import { isRecord, kindOf } from '../json-value.ts';
import type { JsonSchema, SchemaLike, StandardJsonSchemaConverter } from './schema-like.ts';
import { isStandardSchema } from './validate-with-schema.ts';

/** Conversions by schema object: a library converts anew for each call, and a schema does not change. */
const converted = new WeakMap<object, JsonSchema>();

/** In order of preference; a library throws for an unknown target. */
const TARGETS = ['draft-2020-12', 'draft-07'] as const;

/**
 * The JSON Schema of the input of any schema, exactly as its library writes it: no keyword is added, so that a user interface
 * recognizes a simple schema. A plain JSON Schema is returned unchanged. Throws `INPUT_INVALID` when the library
 * cannot convert the schema.
 */
export function toJsonSchema(schema: SchemaLike | boolean): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (typeof schema === 'boolean' || isRecord(schema)) return schema;
    throw new HoldpointError(
      'INPUT_INVALID',
      `Expected a Standard Schema or a JSON Schema, got ${kindOf(schema)}.`,
    );
  }
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new HoldpointError(
      'INPUT_INVALID',
      `This ${vendor} schema cannot be turned into JSON Schema: it has no "~standard".jsonSchema. ` +
        `Use a version of ${vendor} (or its JSON Schema package) that implements Standard JSON Schema, ` +
        'or pass a JSON Schema instead.',
      { details: { vendor } },
    );
  }
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const result = convert(jsonSchema, vendor);
  converted.set(schema, result);
  return result;
}

function convert(converter: StandardJsonSchemaConverter, vendor: string): JsonSchema {
  let refusal: unknown;
  for (const target of TARGETS) {
    try {
      const result: unknown = converter.input({ target });
      if (isRecord(result)) return result;
      refusal ??= new TypeError(`${vendor} returned ${kindOf(result)}`);
    } catch (error) {
      // Keep the first reason; the second may only be about the older draft.
      refusal ??= error;
    }
  }
  const reason = refusal instanceof Error ? `: ${refusal.message}` : '';
  throw new HoldpointError(
    'INPUT_INVALID',
    `${vendor} cannot write the input of this schema as JSON Schema${reason}. Pass a JSON Schema instead.`,
    { cause: refusal, details: { vendor } },
  );
}
