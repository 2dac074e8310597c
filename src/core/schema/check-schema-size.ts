import { canonicalJson } from '../canonical-json.ts';
import type { Issue } from '../holdpoint-error.ts';
import { HoldpointError } from '../holdpoint-error.ts';
import type { SchemaLimits } from './schema-limits.ts';

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
