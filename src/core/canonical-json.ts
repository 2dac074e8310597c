import { HoldpointError } from './holdpoint-error.ts';
import { isRecord, kindOf } from './json-value.ts';

/** Deeper than the JSON limits allow, and well below the limit of the call stack. */
const MAX_DEPTH = 1000;

/**
 * The canonical text of a JSON value: members sorted by UTF-16 code units, no spaces, numbers as JSON.stringify
 * writes them (RFC 8785). Undefined members count as absent. Throws `INPUT_INVALID` for a value that is not JSON
 * (NaN, a function, a bigint, a cycle).
 */
export function canonicalJson(value: unknown): string {
  return write(value, []);
}

/**
 * `open` has the containers around the value: a list, because searching a few items is faster than creating a set.
 */
function write(value: unknown, open: object[]): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw notJson(String(value));
      return String(value);
    case 'object':
      return value === null ? 'null' : writeContainer(value, open);
    default:
      throw notJson(kindOf(value));
  }
}

function writeContainer(value: object, open: object[]): string {
  if (open.includes(value)) throw notJson('a cycle');
  if (open.length >= MAX_DEPTH) throw notJson(`more than ${MAX_DEPTH} levels of nesting`);
  open.push(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${write(item, open)}`;
    text = `[${text}]`;
  } else if (isRecord(value)) {
    for (const key of sorted(Object.keys(value))) {
      const member = value[key];
      if (member !== undefined) text += `${text === '' ? '' : ','}${quote(key)}:${write(member, open)}`;
    }
    text = `{${text}}`;
  } else {
    throw notJson('an object of its own class');
  }
  open.pop();
  return text;
}

/** Matches a text without characters that JSON escapes; most texts match and need no further check. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function sorted(keys: readonly string[]): readonly string[] {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key) ? keys : keys.toSorted();
}

function notJson(what: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `The value contains ${what}, which cannot be written as JSON.`);
}
