import type { CompiledSchema } from './create-schema-compiler.ts';
import { createSchemaCompiler } from './create-schema-compiler.ts';
import { onDemand } from '../on-demand.ts';
import type { CompiledPattern } from './prepare-schema.ts';
import type { JsonSchema } from './schema-like.ts';
import type { SchemaLimits } from './schema-limits.ts';

const compileOwn = /* @__PURE__ */ createSchemaCompiler(nativePattern);

const linear = onDemand(() => import('./linear-pattern.ts'));
const compileForeign = /* @__PURE__ */ createSchemaCompiler((pattern) =>
  linear.need().linearPattern(pattern),
);
const compileInBrowser = /* @__PURE__ */ createSchemaCompiler((pattern) =>
  linear.need().patternInBrowser(pattern),
);

/**
 * Makes a validator of a JSON Schema: draft 2020-12, or the draft that `$schema` names (4, 6, 7,
 * 2019-09). Compiled once per schema object, which must not be changed afterwards, and once for small schemas of
 * the same text; `limits` bypass that memory.
 * Issues are RFC 6901 pointers with "expected …"; a missing member is reported at the pointer that
 * it would have. Throws `INPUT_INVALID`, with pointers into the schema, for one that is too large,
 * malformed, refers to anything outside itself or in circles, or has an invalid pattern. Patterns run as native
 * regular expressions: this is for schemas that the server's own code wrote.
 */
export function compileJsonSchema(schema: JsonSchema, limits?: Partial<SchemaLimits>): CompiledSchema {
  return compileOwn(schema, limits);
}

/**
 * {@link compileJsonSchema} for a schema that came from outside: its patterns run in linear time, whatever they are. Refuses
 * patterns that cannot, such as those with look-around or backreferences; `where: 'browser'` leaves these to the server. The engine is loaded with the
 * first pattern.
 */
export async function compileForeignSchema(
  schema: JsonSchema,
  where: 'server' | 'browser' = 'server',
): Promise<CompiledSchema> {
  if (hasPatterns(schema)) await linear.load();
  return where === 'server' ? compileForeign(schema) : compileInBrowser(schema);
}

/** Whether a schema may have patterns: false where it certainly has none. */
export function hasPatterns(schema: unknown): boolean {
  return /"pattern(?:Properties)?":/.test(JSON.stringify(schema) ?? '');
}

function nativePattern(pattern: string): CompiledPattern {
  try {
    const expression = new RegExp(pattern, 'u');
    return { test: (text) => expression.test(text), size: 0 };
  } catch {
    return { refused: 'invalid syntax' };
  }
}
