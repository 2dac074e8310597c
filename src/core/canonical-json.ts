import { HoldpointError } from './holdpoint-error.ts';
import { isRecord } from './json-value.ts';
import { kindOf } from './issues/index.ts';

/** Far past what the JSON limits let in, and far from the end of the call stack. */
const MAX_DEPTH = 1000;

/**
 * The one text of a JSON value: members sorted by UTF-16 code units, no spaces, numbers as
 * JSON.stringify writes them (RFC 8785). Members that are undefined count as absent.
 * Throws `INPUT_INVALID` for what JSON cannot hold (NaN, a function, a bigint, a cycle).
 */
export function canonicalJson(value: unknown): string {
  return write(value, new Set());
}

function write(value: unknown, open: Set<object>): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw notJson(String(value));
      return JSON.stringify(value);
    case 'object':
      return value === null ? 'null' : writeContainer(value, open);
    default:
      throw notJson(kindOf(value));
  }
}

function writeContainer(value: object, open: Set<object>): string {
  if (open.has(value)) throw notJson('a cycle');
  if (open.size >= MAX_DEPTH) throw notJson(`more than ${MAX_DEPTH} levels of nesting`);
  open.add(value);
  let text: string;
  if (Array.isArray(value)) {
    text = `[${value.map((item) => write(item, open)).join(',')}]`;
  } else if (isRecord(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${write(value[key], open)}`);
    text = `{${members.join(',')}}`;
  } else {
    throw notJson('an object of its own class');
  }
  open.delete(value);
  return text;
}

function notJson(what: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `JSON cannot hold ${what}.`);
}
