import { isRecord, ownMember } from '../json-value.ts';
import { findReference } from './find-reference.ts';

/** Keywords whose one schema looks at the same value again. `not` says what a value is not, and marks nothing. */
const IN_PLACE = ['if', 'then', 'else'];
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'];

const MAX_GLANCE = 50;

/** Whether a schema marks anything as a secret: `writeOnly: true` or `format: "password"`, however deep. */
export function hasSecrets(schema: unknown): boolean {
  return isRecord(schema) && mentionsSecret(schema, 0) && marksSecret(schema);
}

/**
 * A copy of a value in which `replace` stands for each secret that its schema marks, in the order of the value. Whatever
 * alternative of a union a value fits, the marks of all of them count: too much is hidden rather than too little.
 */
export function replaceSecrets(
  schema: unknown,
  value: unknown,
  replace: (secret: unknown, index: number) => unknown,
): unknown {
  let count = 0;
  const rewrite = (schemas: readonly unknown[], part: unknown): unknown => {
    const here = inPlace(schemas, schema);
    if (here.some(isSecret)) {
      count += 1;
      return replace(part, count - 1);
    }
    if (Array.isArray(part)) {
      return part.map((item: unknown, index) =>
        rewrite(
          here.flatMap((one) => itemSchemas(one, index)),
          item,
        ),
      );
    }
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [
        name,
        rewrite(
          here.flatMap((one) => memberSchemas(one, name)),
          member,
        ),
      ]),
    );
  };
  return hasSecrets(schema) ? rewrite([schema], value) : value;
}

function isSecret(schema: Record<string, unknown>): boolean {
  return ownMember(schema, 'writeOnly') === true || ownMember(schema, 'format') === 'password';
}

/** Whether anything in a schema looks like a mark, wherever it stands: most have nothing of the kind, and need no closer look. */
function mentionsSecret(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // What is as deep as that, or goes round, is looked at closely.
  if (depth > MAX_GLANCE) return true;
  if (isRecord(value) && isSecret(value)) return true;
  return Object.values(value).some((part) => mentionsSecret(part, depth + 1));
}

/** Whether a mark stands where it counts. */
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

/** All schemas that look at a value, given the ones it was given to. */
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

function memberSchemas(schema: Record<string, unknown>, name: string): unknown[] {
  const properties = ownMember(schema, 'properties');
  const own = isRecord(properties) ? ownMember(properties, name) : undefined;
  const patterns = ownMember(schema, 'patternProperties');
  const matching = isRecord(patterns)
    ? Object.entries(patterns).flatMap(([pattern, one]) => (new RegExp(pattern, 'u').test(name) ? [one] : []))
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}
