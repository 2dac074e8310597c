import type { CompiledSchema } from './create-schema-compiler.ts';
import { createSchemaCompiler } from './create-schema-compiler.ts';
import { onDemand } from '../on-demand.ts';
import type { CompiledPattern } from './prepare-schema.ts';
import type { JsonSchema } from './schema-like.ts';
import type { SchemaLimits } from './schema-limits.ts';

const compileOwn = /* @__PURE__ */ createSchemaCompiler(nativePattern);

/** The engine for patterns from outside. */
export const linearPatterns = /* @__PURE__ */ onDemand(() => import('./linear-pattern.ts'));
const compileForeign = /* @__PURE__ */ createSchemaCompiler((pattern) =>
  linearPatterns.need().linearPattern(pattern),
);

/**
 * Compiles a JSON Schema to a validator: draft 2020-12, or the draft that `$schema` names (4, 6, 7, 2019-09). Each
 * schema object is compiled once and must not change afterwards; small schemas of equal text share the result;
 * `limits` bypass this cache. Issues are RFC 6901 pointers with "expected …"; a missing member has the pointer it
 * would have. Throws `INPUT_INVALID`, with pointers into the schema, for a schema that is too large or malformed,
 * refers to anything outside itself or in circles, or has an invalid pattern. Patterns run as native regular
 * expressions: use it for schemas of the server's own code.
 */
export function compileJsonSchema(schema: JsonSchema, limits?: Partial<SchemaLimits>): CompiledSchema {
  return compileOwn(schema, limits);
}

/**
 * {@link compileJsonSchema} for a schema from outside: every pattern runs in linear time. Rejects patterns that
 * cannot, such as look-around or backreferences. The engine is loaded with the first pattern.
 */
export async function compileForeignSchema(schema: JsonSchema): Promise<CompiledSchema> {
  if (hasPatterns(schema)) await linearPatterns.load();
  return compileForeign(schema);
}

/** False when a schema certainly has no patterns. */
function hasPatterns(schema: unknown): boolean {
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
