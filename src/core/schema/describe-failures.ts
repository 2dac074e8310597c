import type { Issue } from '../holdpoint-error.ts';
import { isRecord, ownMember } from '../json-value.ts';
import { childPointer, pointerTokens } from '../json-pointer.ts';
import type { Failure } from './evaluate-schema.ts';
import { describeKeyword, listed } from './describe-keyword.ts';
import type { PreparedSchema } from './prepare-schema.ts';

/** The schema and the value of the failures. */
interface FailureContext {
  readonly schema: PreparedSchema;
  readonly value: unknown;
  /** Called before each part of the description with its cost; may throw to stop. */
  readonly onVisit: (cost: number) => void;
}

/** Keywords whose error only says that a value below them is invalid. */
const WRAPPERS = new Set([
  '$ref',
  'allOf',
  'if',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
]);
const EXTRA_MEMBER = new Set(['additionalProperties', 'unevaluatedProperties']);
const EXTRA_ITEM = new Set(['items', 'additionalItems', 'unevaluatedItems']);
const NAME_LISTS = new Set(['required', 'dependentRequired', 'dependencies']);

/**
 * Turns the flat list of an evaluation, in which a wrapper precedes its contents, into issues for a person: only
 * the leaves, and for a union only the closest alternative.
 */
export function describeFailures(errors: readonly Failure[], context: FailureContext): Issue[] {
  const issues = new Map<string, Issue>();
  context.onVisit(errors.length);
  // The failures of each item are noise beside "at least 2 items of the required kind", which follows them.
  const noise = new Set(
    errors.flatMap(({ keyword, keywordLocation }) =>
      keyword === 'minContains' ? [keywordLocation.replace(/minContains$/, 'contains/')] : [],
    ),
  );
  const formats = new Set(errors.flatMap((error) => (error.keyword === 'format' ? [keyOf(error)] : [])));
  const telling = errors.filter((error) => {
    context.onVisit(noise.size);
    for (const prefix of noise) if (error.keywordLocation.startsWith(prefix)) return false;
    return !isSpelledOut(error, formats, context);
  });
  for (const issue of describeAll(telling, context)) issues.set(JSON.stringify(issue), issue);
  return [...issues.values()];
}

/** True when a library wrote a format's pattern beside the format, whose name is clearer. */
function isSpelledOut(error: Failure, formats: ReadonlySet<string>, context: FailureContext): boolean {
  if (error.keyword !== 'pattern') return false;
  const format = { ...error, keywordLocation: error.keywordLocation.replace(/pattern$/, 'format') };
  return formats.has(keyOf(format)) && keywordValue(format, context) !== undefined;
}

/** The keyword and the value of a failure as one key. */
function keyOf({ keywordLocation, instanceLocation }: Failure): string {
  return JSON.stringify([keywordLocation, instanceLocation]);
}

function describeAll(errors: readonly Failure[], context: FailureContext): Issue[] {
  const issues: Issue[] = [];
  context.onVisit(errors.length);
  for (let index = 0; index < errors.length; index += 1) {
    const error = errors[index];
    if (error === undefined) break;
    const { keyword } = error;
    const pointer = error.instanceLocation;
    if (keyword === 'anyOf' || keyword === 'oneOf') {
      const inside = errorsInside(errors, index);
      issues.push(...describeUnion(error, inside, context));
      index += inside.length;
    } else if (keyword === 'contains' || keyword === 'propertyNames') {
      const inside = errorsInside(errors, index);
      const [name] = inside;
      if (keyword === 'contains')
        issues.push({ pointer, message: 'expected at least one item of the required kind' });
      else issues.push({ pointer: name?.instanceLocation ?? '', message: 'expected another name' });
      index += inside.length;
    } else if (NAME_LISTS.has(keyword)) {
      issues.push(...describeMissing(error, context));
    } else if (keyword === 'false') {
      issues.push({ pointer, message: `expected ${describeNothing(errors[index - 1])}` });
    } else if (!WRAPPERS.has(keyword)) {
      const words = describeKeyword(keyword, keywordValue(error, context));
      issues.push({ pointer, message: `expected ${words ?? 'another value'}` });
    }
  }
  return issues;
}

/** The errors after a wrapper that lie below it. */
function errorsInside(errors: readonly Failure[], index: number): Failure[] {
  const prefix = `${errors[index]?.keywordLocation ?? ''}/`;
  const inside: Failure[] = [];
  for (let next = index + 1; next < errors.length; next += 1) {
    const error = errors[next];
    // A `false` schema has no location; it always follows its wrapper.
    if (error === undefined || (error.keyword !== 'false' && !error.keywordLocation.startsWith(prefix)))
      break;
    inside.push(error);
  }
  return inside;
}

function describeUnion(
  union: Failure,
  inside: readonly Failure[],
  context: FailureContext,
): readonly Issue[] {
  const pointer = union.instanceLocation;
  const fallback = {
    pointer,
    message: `expected ${describeKeyword(union.keyword, undefined) ?? 'another value'}`,
  };
  const start = union.keywordLocation.length + 1;
  const branches = new Map<string, Failure[]>();
  let current: Failure[] = [];
  for (const error of inside) {
    if (error.keyword !== 'false') {
      const branch = error.keywordLocation.slice(start).split('/', 1)[0] ?? '';
      current = branches.get(branch) ?? [];
      branches.set(branch, current);
    }
    current.push(error);
  }
  const alternatives = keywordValue(union, context);
  // A matching alternative leaves no errors: the value then matches too many alternatives.
  const isOneOf = union.keyword === 'oneOf' && Array.isArray(alternatives);
  if (isOneOf && branches.size < alternatives.length) return [fallback];
  const described = [...branches.values()].map((errors) => describeAll(errors, context));
  return mergeHere(described, pointer) ?? closest(described, pointer) ?? [fallback];
}

/** "expected text or null", when each alternative has one issue at the same pointer. */
function mergeHere(described: readonly (readonly Issue[])[], pointer: string): Issue[] | undefined {
  const words: string[] = [];
  for (const issues of described) {
    const [only] = issues;
    if (only === undefined || issues.length > 1 || only.pointer !== pointer) return undefined;
    if (!only.message.startsWith('expected ')) return undefined;
    words.push(only.message.slice('expected '.length));
  }
  return words.length === 0 ? undefined : [{ pointer, message: `expected ${listed([...new Set(words)])}` }];
}

/** The alternative without an issue at the pointer itself, then the one with the fewest issues. */
function closest(described: readonly (readonly Issue[])[], pointer: string): readonly Issue[] | undefined {
  const rank = (issues: readonly Issue[]) =>
    issues.length + (issues.some((issue) => issue.pointer === pointer) ? 1000 : 0);
  return described
    .filter((issues) => issues.length > 0)
    .toSorted((left, right) => rank(left) - rank(right))[0];
}

/** Finds the missing member: `required` fails as a whole. */
function describeMissing(error: Failure, context: FailureContext): Issue[] {
  const pointer = error.instanceLocation;
  const value = follow(context.value, pointerTokens(pointer) ?? []);
  const names = keywordValue(error, context);
  if (!isRecord(value)) return [];
  const lists = Array.isArray(names) ? [names] : listsThatApply(names, value);
  const wanted = lists.flat().filter((name) => typeof name === 'string');
  return wanted
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({
      pointer: childPointer(pointer, name),
      message: `expected the member ${JSON.stringify(name)}`,
    }));
}

function listsThatApply(lists: unknown, value: Record<string, unknown>): unknown[][] {
  if (!isRecord(lists)) return [];
  return Object.entries(lists).flatMap(([name, list]) =>
    Object.hasOwn(value, name) && Array.isArray(list) ? [list as unknown[]] : [],
  );
}

function describeNothing(wrapper: Failure | undefined): string {
  if (wrapper !== undefined && EXTRA_MEMBER.has(wrapper.keyword)) return 'no such member';
  if (wrapper !== undefined && EXTRA_ITEM.has(wrapper.keyword)) return 'no further item';
  return 'nothing here';
}

/** The value of the failed keyword; its location names the references on the way. */
function keywordValue(error: Failure, { schema, onVisit }: FailureContext): unknown {
  let value: unknown = schema;
  const tokens = pointerTokens(error.keywordLocation) ?? [];
  onVisit(tokens.length);
  for (const token of tokens) {
    value = follow(value, [token]);
    if (token === '$ref' && typeof value === 'string')
      value = follow(schema, pointerTokens(value.slice(1)) ?? []);
  }
  return value;
}

function follow(from: unknown, tokens: readonly string[]): unknown {
  let value = from;
  for (const token of tokens) {
    if (Array.isArray(value)) value = value[Number(token)];
    else value = isRecord(value) ? ownMember(value, token) : undefined;
  }
  return value;
}
