import type { CompiledSchema } from './evaluate/index.ts';
import { createSchemaCompiler } from './evaluate/index.ts';
import { fitsFormat, isFormat } from './format/index.ts';
import { judgePattern } from './pattern/index.ts';
import { findEndlessReferences, findReference } from './reference/index.ts';
import type { JsonSchema } from './schema-like.ts';
import type { SchemaLimits } from './schema-limits.ts';
import { describeFailures } from './words/index.ts';

const compile = /* @__PURE__ */ createSchemaCompiler({
  describeFailures,
  findEndlessReferences,
  findReference,
  fitsFormat,
  isFormat,
  judgePattern,
});

/**
 * Makes a validator of a JSON Schema: draft 2020-12, or the draft that `$schema` names (4, 6, 7,
 * 2019-09). Compiled once per schema object, which must not be changed afterwards, and once for small schemas of
 * the same text; `limits` bypass that memory.
 * Issues are RFC 6901 pointers with "expected …"; a missing member is reported at the pointer that
 * it would have. Throws `INPUT_INVALID`, with pointers into the schema, for one that is too large,
 * malformed, refers to anything outside itself or in circles, or has a pattern that is invalid or
 * could take too long.
 */
export function compileJsonSchema(schema: JsonSchema, limits?: Partial<SchemaLimits>): CompiledSchema {
  return compile(schema, limits);
}
