import type { Issue } from '../basics/index.ts';
import { isRecord, ownMember } from '../basics/index.ts';
import { childPointer, pointerTokens } from '../issues/index.ts';
import type { Failure } from './evaluate-schema.ts';
import { describeKeyword, listed } from './describe-keyword.ts';
import type { PreparedSchema } from './prepare-schema.ts';

/** What the failures are about. */
export interface FailureContext {
  readonly schema: PreparedSchema;
  readonly value: unknown;
  /** Called before a part of the description with what it costs; may throw to stop the description. */
  readonly onVisit: (cost: number) => void;
}

/** Keywords whose error only says that something below them is wrong. */
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
 * Turns the flat list of an evaluation, in which a wrapper precedes what it wraps, into issues for a
 * person: only what is wrong at the leaves, and of a union only the alternative that came closest.
 */
export function describeFailures(errors: readonly Failure[], context: FailureContext): Issue[] {
  const issues = new Map<string, Issue>();
  context.onVisit(errors.length);
  // What each item lacks is noise beside "at least 2 items of the required kind", which comes after it.
  const noise = new Set(
    errors.flatMap(({ keyword, keywordLocation }) =>
      keyword === 'minContains' ? [keywordLocation.replace(/minContains$/, 'contains/')] : [],
    ),
  );
  const formats = new Set(errors.flatMap((error) => (error.keyword === 'format' ? [placeOf(error)] : [])));
  const telling = errors.filter((error) => {
    context.onVisit(noise.size);
    for (const prefix of noise) if (error.keywordLocation.startsWith(prefix)) return false;
    return !isSpelledOut(error, formats, context);
  });
  for (const issue of describeAll(telling, context)) issues.set(JSON.stringify(issue), issue);
  return [...issues.values()];
}

/** A library may write a format's pattern beside the format, whose name says it better. */
function isSpelledOut(error: Failure, formats: ReadonlySet<string>, context: FailureContext): boolean {
  if (error.keyword !== 'pattern') return false;
  const format = { ...error, keywordLocation: error.keywordLocation.replace(/pattern$/, 'format') };
  return formats.has(placeOf(format)) && keywordValue(format, context) !== undefined;
}

/** The keyword and the value that a failure is about, as one key. */
function placeOf({ keywordLocation, instanceLocation }: Failure): string {
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
    // The location of a `false` schema is not given; it always follows the wrapper that holds it.
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
  // An alternative that fits leaves no errors: then the value fits too many, and none is to blame.
  const isOneOf = union.keyword === 'oneOf' && Array.isArray(alternatives);
  if (isOneOf && branches.size < alternatives.length) return [fallback];
  const described = [...branches.values()].map((errors) => describeAll(errors, context));
  return mergeHere(described, pointer) ?? closest(described, pointer) ?? [fallback];
}

/** "expected text or null", when all that each alternative says is one thing about the same place. */
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

/** The alternative with no objection to the place itself, then the one with the fewest objections. */
function closest(described: readonly (readonly Issue[])[], pointer: string): readonly Issue[] | undefined {
  const rank = (issues: readonly Issue[]) =>
    issues.length + (issues.some((issue) => issue.pointer === pointer) ? 1000 : 0);
  return described
    .filter((issues) => issues.length > 0)
    .toSorted((left, right) => rank(left) - rank(right))[0];
}

/** A list of names fails as a whole: which one is missing is found here. */
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

/** The value of the keyword that failed; its location walks through references by their name. */
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
