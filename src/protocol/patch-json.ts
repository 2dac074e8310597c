import type { JsonPatchOperation } from '@ag-ui/core';
import { applyOperation } from 'fast-json-patch/module/core.mjs';
import type { HoldpointError, UnknownRecord } from '../core/index.ts';
import { invalidInput, isForbiddenKey, pointerTokens } from '../core/index.ts';

/** Objects and arrays created here and not yet returned: these may be changed in place. */
export type Owned = Pick<WeakSet<object>, 'has' | 'add'>;

/** The type of {@link patchJson}, for callers that receive it as a parameter. */
export type Patch = (document: unknown, operations: readonly JsonPatchOperation[], owned?: Owned) => unknown;

const ROOT = 'root';

/**
 * Applies a JSON Patch (RFC 6902). The document is never changed: containers on the path are copied once, all
 * others are shared with the result. All operations apply or none: throws `INPUT_INVALID` with the pointer of the
 * failing operation. Names that could reach a prototype are rejected. Containers in `owned` are changed in place
 * instead of copied; new ones are added to it.
 *
 * @example
 * ```ts
 * import { patchJson } from 'holdpoint/protocol';
 *
 * const next = patchJson({ step: 1 }, [{ op: 'replace', path: '/step', value: 2 }]);
 * ```
 */
export function patchJson(
  document: unknown,
  operations: readonly JsonPatchOperation[],
  owned: Owned = new WeakSet(),
): unknown {
  const holder: UnknownRecord = { [ROOT]: document };
  // A patch of several steps may fail in the middle, so it must not change existing containers.
  const single = operations.length === 1 && operations.every(({ op }) => op !== 'move');
  const made = new Set<object>();
  const mine = single ? owned : made;
  operations.forEach((operation, index) => {
    for (const step of stepsOf(operation, holder, index)) {
      copySpine(holder, checkPointer(step.path, `/${index}/path`), mine);
      try {
        applyOperation(holder, { ...step, path: `/${ROOT}${step.path}` }, true, true);
      } catch (cause) {
        throw cannotApply(index, `${operation.op} cannot be applied at ${step.path || 'the root'}`, cause);
      }
      if (!Object.hasOwn(holder, ROOT)) holder[ROOT] = null;
    }
  });
  for (const container of made) owned.add(container);
  return holder[ROOT];
}

/** A move is a removal and an addition, a copy an addition (RFC 6902 §4.4, §4.5). */
function stepsOf(operation: JsonPatchOperation, holder: UnknownRecord, index: number): readonly Step[] {
  if (operation.op !== 'move' && operation.op !== 'copy') return [operation];
  const { path, from } = operation;
  const found = valueAt(holder, checkPointer(from, `/${index}/from`));
  if (found === undefined) throw cannotApply(index, `nothing is at ${from}`);
  if (operation.op === 'copy') return [{ op: 'add', path, value: structuredClone(found) }];
  return [
    { op: 'remove', path: from },
    { op: 'add', path, value: found },
  ];
}

type Step = Exclude<JsonPatchOperation, { op: 'move' | 'copy' }>;

function checkPointer(pointer: string, at: string): readonly string[] {
  const tokens = pointerTokens(pointer);
  if (tokens === undefined) throw invalidPatch(at, 'expected a JSON pointer');
  const forbidden = tokens.find(isForbiddenKey);
  if (forbidden !== undefined) throw invalidPatch(at, `the name ${forbidden} is not accepted`);
  return tokens;
}

/** Replaces every container from the root to the parent of the target by an owned copy. */
function copySpine(holder: UnknownRecord, tokens: readonly string[], owned: Owned): void {
  let parent: object = holder;
  let key: string = ROOT;
  for (const token of tokens) {
    const container: unknown = Reflect.get(parent, key);
    if (typeof container !== 'object' || container === null || !Object.hasOwn(parent, key)) return;
    let own = container;
    if (!owned.has(container)) {
      own = Array.isArray(container) ? container.slice() : copyObject(container);
      owned.add(own);
      Reflect.set(parent, key, own);
    }
    parent = own;
    key = token;
  }
}

const MANY_MEMBERS = 256;

/** Copies an object. For thousands of members this is twice as fast as a spread; for a few it is slower. */
function copyObject(source: object): object {
  const entries = Object.keys(source);
  if (entries.length <= MANY_MEMBERS) return { ...source };
  const copy = Object.create(null) as UnknownRecord;
  for (const name of entries) copy[name] = (source as UnknownRecord)[name];
  return Object.setPrototypeOf(copy, Object.prototype) as object;
}

function valueAt(holder: UnknownRecord, tokens: readonly string[]): unknown {
  let value: unknown = holder[ROOT];
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = Reflect.get(value, token);
  }
  return value;
}

function cannotApply(index: number, message: string, cause?: unknown): HoldpointError {
  return invalidPatch(`/${index}`, message, cause);
}

function invalidPatch(pointer: string, message: string, cause?: unknown): HoldpointError {
  const error = invalidInput('JSON patch', [{ pointer, message }]);
  if (cause !== undefined) error.cause = cause;
  return error;
}
