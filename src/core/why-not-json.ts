import { jsonCopy } from './json-copy.ts';
import { childPointer } from './json-pointer.ts';
import { messageOf } from './message-of.ts';

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
