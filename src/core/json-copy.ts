import { messageOf } from './holdpoint-error.ts';
import { childPointer } from './json-pointer.ts';
import type { JsonValue } from './json-value.ts';
import { isRecord } from './json-value.ts';

/** Deeper than any value that is accepted from outside; a cycle ends here too. */
const MAX_DEPTH = 200;

/**
 * Copies a value like `JSON.parse(JSON.stringify(value))`, including its errors. Plain values are copied without
 * the text, at a fifth of the cost.
 */
export function jsonCopy(value: unknown): JsonValue {
  const copy = copyPlain(value, 0);
  return copy === undefined ? (JSON.parse(JSON.stringify(value)) as JsonValue) : copy;
}

/** A copy of a value that is JSON as it is; undefined for any other value, such as a date, which JSON writes as a text. */
export function copyIfJson(value: unknown): JsonValue | undefined {
  return copyPlain(value, 0);
}

/** Undefined for a value that only JSON.stringify can convert. */
function copyPlain(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value) ? value + 0 : undefined;
    case 'object':
      if (value === null) return null;
      if (depth > MAX_DEPTH || 'toJSON' in value) return undefined;
      return Array.isArray(value) ? copyItems(value, depth) : copyMembers(value, depth);
    default:
      return undefined;
  }
}

function copyItems(items: readonly unknown[], depth: number): JsonValue | undefined {
  const copies: JsonValue[] = [];
  for (const item of items) {
    const copy = copyPlain(item, depth + 1);
    if (copy === undefined) return undefined;
    copies.push(copy);
  }
  return copies;
}

function copyMembers(value: object, depth: number): JsonValue | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype || !isRecord(value)) return undefined;
  const copies: Record<string, JsonValue> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const copy = name === '__proto__' ? undefined : copyPlain(member, depth + 1);
    if (copy === undefined) return undefined;
    copies[name] = copy;
  }
  return copies;
}

/**
 * Names the part of a value that JSON cannot write, and its pointer: `BigInt at /amount`. Undefined for a JSON
 * value, and for `undefined`, which counts as null.
 */
export function whyNotJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  try {
    jsonCopy(value);
    return undefined;
  } catch (error) {
    return findCause(value) ?? messageOf(error);
  }
}

/** Undefined when only JSON.stringify can tell. */
function findCause(value: unknown): string | undefined {
  try {
    return search(value, '', new Set());
  } catch {
    return undefined;
  }
}

function search(value: unknown, pointer: string, parents: ReadonlySet<unknown>): string | undefined {
  const where = pointer === '' ? '' : ` at ${pointer}`;
  if (typeof value === 'bigint') return `BigInt${where}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (parents.has(value)) return `a cycle${where}`;
  const within = new Set([...parents, value]);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    try {
      return search(value.toJSON(), pointer, within);
    } catch (error) {
      return `toJSON failed${where}: ${messageOf(error)}`;
    }
  }
  for (const [name, member] of Object.entries(value)) {
    const found = search(member, childPointer(pointer, name), within);
    if (found !== undefined) return found;
  }
  return undefined;
}
