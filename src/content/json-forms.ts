import { canonicalJson, HoldpointError, jsonOrText, kindOf } from '../core/index.ts';

/** Deeper than the JSON limits allow. */
const MAX_DEPTH = 1000;

/** True for a JSON value: plain objects, arrays, strings, finite numbers, booleans and null. */
export function isJson(value: unknown): boolean {
  return holds(value, new Set());
}

function holds(value: unknown, open: Set<object>): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value !== 'object' || open.has(value) || open.size > MAX_DEPTH || !isPlain(value)) return false;
  open.add(value);
  const fits = Object.values(value).every((member) => member === undefined || holds(member, open));
  open.delete(value);
  return fits;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True when two values are the same JSON, in any order of members. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return isJson(one) && isJson(other) && canonicalJson(one) === canonicalJson(other);
}

/**
 * Parses the arguments of a call. Returns the text itself when it is not JSON or is a JSON string, and undefined
 * for an empty text.
 */
export function parseArguments(text: string): unknown {
  if (text === '') return undefined;
  const value = jsonOrText(text);
  return typeof value === 'string' ? text : value;
}

/** Parses a result: objects and arrays are parsed, other texts are returned unchanged. */
export function parseResult(text: string): unknown {
  return /^\s*[[{]/.test(text) ? jsonOrText(text) : text;
}

/**
 * The text of arguments or of a result; a string is that text. Throws `INPUT_INVALID` for a value that is not JSON.
 */
export function jsonText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  let text: unknown;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (typeof text === 'string') return text;
  throw new HoldpointError('INPUT_INVALID', `The value, ${kindOf(value)}, cannot be written as JSON.`, {
    cause,
  });
}
