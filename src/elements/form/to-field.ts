import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, isRecord, ownMember, pointerTokens } from '../../core/index.ts';
import { toWords } from '../base/words.ts';
import type { Field, FileRules, Option } from './field.ts';
import { fileRules } from './file-rules.ts';
import { textInput } from './text-input.ts';

/** Where in its schema a field is. */
export interface FieldPlace {
  readonly name: string;
  readonly required: boolean;
  /** The whole schema, for its local references. */
  readonly root: unknown;
  /** The question asks for files: a text that is named like one refers to one. */
  readonly files?: FileRules | undefined;
  readonly depth?: number;
}

const DEEPEST = 6;

/** The field for a schema: what it has no control for is edited as JSON, and never an error. */
export function toField(given: unknown, place: FieldPlace): Field {
  const { schema: resolved, nullable } = withoutNull(given, place.root);
  const schema = isRecord(resolved) ? resolved : {};
  const title = textOf(schema['title']) ?? (place.name === '' ? '' : toWords(place.name));
  const description = textOf(schema['description']);
  const base = {
    name: place.name,
    label: title,
    required: place.required,
    nullable,
    ...(description === undefined ? {} : { description }),
    ...(Object.hasOwn(schema, 'default') ? { initial: schema['default'] } : {}),
  };
  const depth = place.depth ?? 0;
  if (depth > DEEPEST) return { ...base, kind: 'json' };
  const below = { root: place.root, depth: depth + 1, files: place.files };
  const file = fileRules(schema, { ...place, depth });
  if (file !== undefined) return { ...base, kind: 'file', file };
  const options = optionsOf(schema, place.root);
  if (options !== undefined) return { ...base, kind: 'choice', options };
  switch (typeOf(schema)) {
    case 'string': {
      const [example] = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [];
      const placeholder = textOf(example);
      return {
        ...base,
        kind: 'text',
        input: textInput(schema, place.name),
        ...(placeholder === undefined ? {} : { placeholder }),
      };
    }
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        ...numberMember(schema, 'minimum'),
        ...numberMember(schema, 'maximum'),
        ...(schema['type'] === 'integer' ? { step: 1 } : {}),
      };
    case 'boolean':
      return { ...base, kind: 'boolean' };
    case 'object': {
      const properties = schema['properties'];
      if (!isRecord(properties)) return { ...base, kind: 'json' };
      const needed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
      const fields = Object.entries(properties).map(([name, one]) =>
        toField(one, { ...below, name, required: needed.includes(name) }),
      );
      return { ...base, kind: 'object', fields };
    }
    case 'array': {
      const items = schema['items'];
      const item = toField(items, { ...below, name: '', required: true });
      if (!isRecord(items) || schema['prefixItems'] !== undefined || item.kind === 'list')
        return { ...base, kind: 'json' };
      if (item.kind === 'choice') return { ...base, kind: 'several', options: item.options };
      const maximum = schema['maxItems'];
      return { ...base, kind: 'list', item, ...(typeof maximum === 'number' ? { maximum } : {}) };
    }
    default:
      return { ...base, kind: 'json' };
  }
}

/** The schema behind its references, without its null; `nullable` says that there was one. */
function withoutNull(
  given: unknown,
  root: unknown,
): { readonly schema: unknown; readonly nullable: boolean } {
  const schema = dereference(given, root);
  if (!isRecord(schema)) return { schema, nullable: false };
  const { type } = schema;
  if (Array.isArray(type)) {
    const others: unknown[] = type.filter((one) => one !== 'null');
    if (others.length !== 1) return { schema, nullable: false };
    return { schema: { ...schema, type: others[0] }, nullable: others.length < type.length };
  }
  const variants = alternatives(schema);
  const others = variants.filter((one) => !isNull(one));
  if (variants.length !== 2 || others.length !== 1) return { schema, nullable: false };
  const { anyOf: _anyOf, oneOf: _oneOf, ...outer } = schema;
  const inner = dereference(others[0], root);
  return isRecord(inner) ? { schema: { ...inner, ...outer }, nullable: true } : { schema, nullable: false };
}

function alternatives(schema: UnknownRecord): readonly unknown[] {
  const variants = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(variants) ? variants : [];
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && (schema['type'] === 'null' || ('const' in schema && schema['const'] === null));
}

/** Follows local references; one that leads nowhere, or in a circle, is a schema of anything. */
function dereference(given: unknown, root: unknown): unknown {
  let schema = given;
  for (let steps = 0; isRecord(schema) && typeof schema['$ref'] === 'string'; steps += 1) {
    const { $ref: reference, ...beside } = schema as UnknownRecord & { readonly $ref: string };
    const tokens = reference.startsWith('#') ? pointerTokens(decodeURI(reference.slice(1))) : undefined;
    let found: unknown = tokens === undefined || steps > 20 ? undefined : root;
    for (const token of tokens ?? []) found = isRecord(found) ? ownMember(found, token) : undefined;
    schema = isRecord(found) ? { ...found, ...beside } : beside;
  }
  return schema;
}

/** The choices of an `enum`, or of alternatives that are one value each. */
function optionsOf(schema: UnknownRecord, root: unknown): readonly Option[] | undefined {
  const { enum: values } = schema;
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
    return values.map((value: unknown, index) => ({ value, label: textOf(names[index]) ?? labelOf(value) }));
  }
  if ('const' in schema) return [{ value: schema['const'], label: labelOf(schema['const']) }];
  const variants = alternatives(schema).map((one) => dereference(one, root));
  if (variants.length === 0) return undefined;
  const options = variants.flatMap((one): readonly Option[] => {
    if (!isRecord(one) || !('const' in one)) return [];
    const description = textOf(one['description']);
    const label = textOf(one['title']) ?? labelOf(one['const']);
    return [{ value: one['const'], label: description === undefined ? label : `${label} – ${description}` }];
  });
  return options.length === variants.length ? options : undefined;
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

function typeOf(schema: UnknownRecord): unknown {
  if (schema['type'] !== undefined) return schema['type'];
  return isRecord(schema['properties']) ? 'object' : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberMember<Name extends 'minimum' | 'maximum'>(
  schema: UnknownRecord,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = schema[name];
  return typeof value === 'number' ? ({ [name]: value } as { [Key in Name]: number }) : {};
}
