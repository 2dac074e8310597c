/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** An object from outside with unknown members. */
export type UnknownRecord = Record<string, unknown>;

/** True for an object that is neither null nor an array. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of values: a list as it is, one value alone. */
export function toList<T>(values: T | readonly T[]): readonly T[] {
  // An array is never one value here.
  return Array.isArray(values) ? (values as readonly T[]) : [values as T];
}

/** A list as it is; an empty list for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value of an own member; members of a prototype are never read. */
export function ownMember(record: UnknownRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The kind of a value in words, for messages: "null", "an array", "a string". */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Member names that other code could use to change a prototype. */
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor']);

/** True for a member name that is never copied into an object. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}
