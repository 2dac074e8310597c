import { isRecord, listOf, ownMember } from '../json-value.ts';
import { linearPatterns } from './compile-json-schema.ts';
import { findReference } from './find-reference.ts';

/** Keywords whose one schema checks the same value. `not` is left out: it describes other values. */
const IN_PLACE = ['if', 'then', 'else'];
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'];

const MAX_GLANCE = 50;

/** True when a schema marks a secret at any depth: `writeOnly: true` or `format: "password"`. */
export function hasSecrets(schema: unknown): boolean {
  return isRecord(schema) && mentionsSecret(schema, 0) && marksSecret(schema);
}

/**
 * A copy of a value in which `replace` is called for each secret that the schema marks, in the order of the value.
 * The marks of all alternatives of a union count, so that too much is hidden rather than too little. For the same
 * reason, a pattern that cannot run in linear time matches every name.
 */
export async function replaceSecrets(
  schema: unknown,
  value: unknown,
  replace: (secret: unknown, index: number) => unknown,
): Promise<unknown> {
  if (!hasSecrets(schema)) return value;
  let count = 0;
  return replaceParts(schema, value, (part, schemas) => {
    if (!schemas.some(isSecret)) return undefined;
    count += 1;
    return { with: replace(part, count - 1) };
  });
}

/**
 * A copy of a value. `replace` gets each part of it with all schemas that may check the part and its place as a JSON pointer, and
 * returns the replacement, or undefined to look inside the part.
 */
export async function replaceParts(
  schema: unknown,
  value: unknown,
  replace: (
    part: unknown,
    schemas: readonly Record<string, unknown>[],
    pointer: string,
  ) => { readonly with: unknown } | undefined,
): Promise<unknown> {
  const matches = await patternMatcher();
  const rewrite = (schemas: readonly unknown[], part: unknown, pointer: string): unknown => {
    const here = inPlace(schemas, schema);
    const replaced = replace(part, here, pointer);
    if (replaced !== undefined) return replaced.with;
    if (Array.isArray(part)) {
      return part.map((item: unknown, index) =>
        rewrite(
          here.flatMap((one) => itemSchemas(one, index)),
          item,
          `${pointer}/${index}`,
        ),
      );
    }
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [
        name,
        rewrite(
          here.flatMap((one) => memberSchemas(one, name, matches)),
          member,
          `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        ),
      ]),
    );
  };
  return rewrite([schema], value, '');
}

type Matches = (pattern: string, name: string) => boolean;

/** Matches member names with patterns in linear time, because the schema and the names may come from outside. */
async function patternMatcher(): Promise<Matches> {
  const { linearPattern } = await linearPatterns.load();
  const compiled = new Map<string, (name: string) => boolean>();
  return (pattern, name) => {
    const known = compiled.get(pattern);
    if (known !== undefined) return known(name);
    const made = linearPattern(pattern);
    const test = 'refused' in made ? () => true : made.test;
    compiled.set(pattern, test);
    return test(name);
  };
}

function isSecret(schema: Record<string, unknown>): boolean {
  return ownMember(schema, 'writeOnly') === true || ownMember(schema, 'format') === 'password';
}

/** A quick check for marks anywhere in a schema: most schemas have none and need no closer check. */
function mentionsSecret(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // A deep or cyclic schema gets the closer check.
  if (depth > MAX_GLANCE) return true;
  if (isRecord(value) && isSecret(value)) return true;
  return Object.values(value).some((part) => mentionsSecret(part, depth + 1));
}

/** True when a mark is in a position that counts. */
function marksSecret(root: Record<string, unknown>): boolean {
  const seen = new Set<unknown>();
  const queue: unknown[] = [root];
  for (const schema of queue) {
    if (seen.has(schema)) continue;
    seen.add(schema);
    for (const here of inPlace([schema], root)) {
      if (isSecret(here)) return true;
      queue.push(...everyPart(here));
    }
  }
  return false;
}

/** All schemas that check a value, starting with the given ones. */
function inPlace(schemas: readonly unknown[], root: unknown): Record<string, unknown>[] {
  const found = new Set<Record<string, unknown>>();
  const queue = [...schemas];
  for (const schema of queue) {
    if (!isRecord(schema) || found.has(schema)) continue;
    found.add(schema);
    queue.push(...IN_PLACE.map((keyword) => ownMember(schema, keyword)));
    for (const keyword of IN_PLACE_LISTS) queue.push(...listOf(ownMember(schema, keyword)));
    for (const keyword of IN_PLACE_MAPS) queue.push(...valuesOf(ownMember(schema, keyword)));
    const reference = ownMember(schema, '$ref');
    const target = reference === undefined ? '' : findReference(root, reference);
    if (typeof target !== 'string') queue.push(target.value);
  }
  return [...found];
}

function itemSchemas(schema: Record<string, unknown>, index: number): unknown[] {
  const items = ownMember(schema, 'items');
  const first = listOf(ownMember(schema, 'prefixItems') ?? (Array.isArray(items) ? items : []));
  const rest = Array.isArray(items) ? ownMember(schema, 'additionalItems') : items;
  const others = [ownMember(schema, 'contains'), ownMember(schema, 'unevaluatedItems')];
  return index < first.length ? [first[index], ...others] : [rest, ...others];
}

function memberSchemas(schema: Record<string, unknown>, name: string, matches: Matches): unknown[] {
  const properties = ownMember(schema, 'properties');
  const own = isRecord(properties) ? ownMember(properties, name) : undefined;
  const patterns = ownMember(schema, 'patternProperties');
  const matching = isRecord(patterns)
    ? Object.entries(patterns).flatMap(([pattern, one]) => (matches(pattern, name) ? [one] : []))
    : [];
  const named = own === undefined ? matching : [own, ...matching];
  const rest = named.length > 0 ? [] : [ownMember(schema, 'additionalProperties')];
  return [...named, ...rest, ownMember(schema, 'unevaluatedProperties')];
}

function everyPart(schema: Record<string, unknown>): unknown[] {
  const one = ['additionalProperties', 'unevaluatedProperties', 'additionalItems', 'unevaluatedItems'];
  const maps = ['properties', 'patternProperties'];
  return [
    ...[...one, 'contains', 'items'].map((keyword) => ownMember(schema, keyword)),
    ...maps.flatMap((keyword) => valuesOf(ownMember(schema, keyword))),
    ...listOf(ownMember(schema, 'prefixItems')),
    ...listOf(ownMember(schema, 'items')),
  ];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}
