import { childPointer } from './json-pointer.ts';
import { invalidInput } from './invalid-value.ts';
import { isForbiddenKey, isRecord } from './json-value.ts';
import type { Issue } from './holdpoint-error.ts';
import { HoldpointError } from './holdpoint-error.ts';

/** Limits for JSON from outside. */
export interface JsonLimits {
  /** Characters of text; default 10 Mi. */
  readonly maxLength: number;
  /** Levels of nested objects and arrays; default 100. */
  readonly maxDepth: number;
  /** Total members and items; default 1,000,000. */
  readonly maxKeys: number;
}

/** The default limits. */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  maxLength: 10 * 1024 * 1024,
  maxDepth: 100,
  maxKeys: 1_000_000,
};

/**
 * Parses JSON from outside. The last of two members with one name wins, as in JSON.parse; `parseUniqueJson` rejects
 * them. Throws `TOO_LARGE` past `maxLength`, `INPUT_INVALID` for text that is not JSON, for nesting or member
 * counts past the limits, and for a member named `__proto__` or `constructor`.
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): unknown {
  const { maxLength } = { ...DEFAULT_JSON_LIMITS, ...limits };
  if (text.length > maxLength) {
    throw new HoldpointError(
      'TOO_LARGE',
      `The JSON text has ${text.length} characters; the limit is ${maxLength}.`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HoldpointError('INPUT_INVALID', `The text is not JSON: it starts with ${preview(text)}.`, {
      cause,
      issues: [{ pointer: '', message: 'expected JSON' }],
    });
  }
  checkJsonLimits(value, limits);
  return value;
}

/** The value of a JSON text; the text itself if {@link parseJson} rejects it. */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Checks a parsed value like {@link parseJson}; does not recurse. */
export function checkJsonLimits(value: unknown, limits: Partial<JsonLimits> = {}): void {
  const issue = findLimitIssue(value, { ...DEFAULT_JSON_LIMITS, ...limits });
  if (issue !== undefined) throw invalidInput('JSON', [issue]);
}

interface Visit {
  readonly value: object;
  readonly depth: number;
  readonly parent: Visit | undefined;
  readonly key: string | number;
}

function findLimitIssue(root: unknown, limits: JsonLimits): Issue | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  const stack: Visit[] = [{ value: root, depth: 1, parent: undefined, key: '' }];
  let keys = 0;
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    if (visit.depth > limits.maxDepth) {
      return { pointer: pointerOf(visit), message: `expected at most ${limits.maxDepth} levels of nesting` };
    }
    const names = isRecord(visit.value) ? Object.keys(visit.value) : undefined;
    const items: readonly unknown[] = Array.isArray(visit.value) ? visit.value : [];
    const count = names?.length ?? items.length;
    keys += count;
    if (keys > limits.maxKeys) {
      return { pointer: pointerOf(visit), message: `expected at most ${limits.maxKeys} members in all` };
    }
    for (let index = 0; index < count; index += 1) {
      const name = names?.[index];
      if (name !== undefined && isForbiddenKey(name)) {
        return { pointer: childPointer(pointerOf(visit), name), message: `the name ${name} is not accepted` };
      }
      const child = name === undefined ? items[index] : (visit.value as Record<string, unknown>)[name];
      if (typeof child === 'object' && child !== null) {
        stack.push({ value: child, depth: visit.depth + 1, parent: visit, key: name ?? index });
      }
    }
  }
  return undefined;
}

/** Shortens long pointers: an error message must not echo deeply nested input. */
function pointerOf(visit: Visit): string {
  const keys: (string | number)[] = [];
  for (let at: Visit | undefined = visit; at?.parent !== undefined; at = at.parent) keys.unshift(at.key);
  const pointer = keys.slice(0, 20).reduce<string>(childPointer, '');
  return keys.length > 20 ? `${pointer}/…` : pointer;
}

function preview(text: string): string {
  return text.length > 40 ? `${JSON.stringify(text.slice(0, 40))}…` : JSON.stringify(text);
}
