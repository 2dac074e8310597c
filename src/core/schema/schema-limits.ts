import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../holdpoint-error.ts';
import { HoldpointError } from '../holdpoint-error.ts';

/** Limits for a JSON Schema and for the work of one validation. */
export interface SchemaLimits {
  /** Characters of its canonical JSON; default 100,000. */
  readonly maxLength: number;
  /** Values of any kind in it; default 10,000. */
  readonly maxNodes: number;
  /** Levels of nested objects and arrays; default 50. */
  readonly maxDepth: number;
  /** Subschemas checked and failures described in one validation; default 1,000,000. */
  readonly maxSteps: number;
}

/** The default limits. */
export const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxLength: 100_000,
  maxNodes: 10_000,
  maxDepth: 50,
  maxSteps: 1_000_000,
};

/** The first limit that a schema exceeds, or the first value that is not JSON; undefined for an acceptable schema. */
export function checkSchemaSize(schema: unknown, limits: SchemaLimits): Issue | undefined {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value: schema, depth: 0 }];
  let nodes = 0;
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    nodes += 1;
    // Counting first also ends the walk through a schema that contains itself.
    if (nodes > limits.maxNodes) return tooLarge(`${limits.maxNodes} values`);
    if (visit.depth > limits.maxDepth) return tooLarge(`${limits.maxDepth} levels of nesting`);
    if (typeof visit.value !== 'object' || visit.value === null) continue;
    const depth = visit.depth + 1;
    for (const value of Object.values(visit.value)) stack.push({ value, depth });
  }
  try {
    return canonicalJson(schema).length > limits.maxLength
      ? tooLarge(`${limits.maxLength} characters of JSON`)
      : undefined;
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
    return { pointer: '', message: `expected JSON: ${error.message}` };
  }
}

function tooLarge(limit: string): Issue {
  return { pointer: '', message: `expected a schema of at most ${limit}` };
}
