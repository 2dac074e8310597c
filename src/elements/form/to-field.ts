import type { UnknownRecord } from '../../core/index.ts';
import { canonicalJson, defined, isRecord, ownMember, pointerTokens } from '../../core/index.ts';
import { visibleText } from '../base/visible-text.ts';
import { toWords } from '../base/words.ts';
import type { Field, FileRules, Option } from './field.ts';
import { fileRules } from './file-rules.ts';
import { textInput } from './text-input.ts';

/** The position of a field in its schema. */
export interface FieldPosition {
  readonly name: string;
  readonly required: boolean;
  /** The whole schema, to resolve local references. */
  readonly root: unknown;
  /** The files that the interrupt asks for: a string named like a file then refers to one. */
  readonly files?: FileRules | undefined;
  readonly depth?: number;
}

const DEEPEST = 6;

/** The field of a schema. A schema without a control becomes JSON; this function never throws. */
export function toField(source: unknown, position: FieldPosition): Field {
  const { schema: resolved, nullable } = withoutNull(source, position.root);
  const schema = isRecord(resolved) ? resolved : {};
  const title = textOf(schema['title']) ?? (position.name === '' ? '' : visibleText(toWords(position.name)));
  const description = textOf(schema['description']);
  const base = {
    name: position.name,
    label: title,
    required: position.required,
    nullable,
    ...defined({ description }),
    ...(Object.hasOwn(schema, 'default') ? { initial: schema['default'] } : {}),
  };
  const depth = position.depth ?? 0;
  const json: Field = { ...base, kind: 'json', ...jsonTypes(schema, position.root) };
  if (depth > DEEPEST) return json;
  const below = { root: position.root, depth: depth + 1, files: position.files };
  const file = fileRules(schema, { ...position, depth });
  if (file !== undefined) return { ...base, kind: 'file', file };
  const options = optionsOf(schema, position.root);
  if (options !== undefined) return { ...base, kind: 'choice', options };
  const choices = choicesBesideText(schema, position.root);
  if (choices !== undefined) return { ...base, kind: 'choice', options: choices, allowsOther: true };
  switch (typeOf(schema)) {
    case 'string': {
      const [example] = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [];
      const placeholder = textOf(example);
      return {
        ...base,
        kind: 'text',
        input: textInput(schema, position.name),
        ...defined({ placeholder }),
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
      if (!isRecord(properties)) return json;
      const needed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
      const fields = Object.entries(properties).map(([name, one]) =>
        toField(one, { ...below, name, required: needed.includes(name) }),
      );
      return { ...base, kind: 'object', fields };
    }
    case 'array': {
      const items = schema['items'];
      const item = toField(items, { ...below, name: '', required: true });
      if (!isRecord(items) || schema['prefixItems'] !== undefined || item.kind === 'list') return json;
      if (item.kind === 'choice' && item.allowsOther !== true)
        return { ...base, kind: 'several', options: item.options };
      const maximum = schema['maxItems'];
      return { ...base, kind: 'list', item, ...(typeof maximum === 'number' ? { maximum } : {}) };
    }
    default:
      return json;
  }
}

/** The schema with its references resolved and its null removed; `nullable` is true when it had one. */
function withoutNull(
  source: unknown,
  root: unknown,
): { readonly schema: unknown; readonly nullable: boolean } {
  const schema = dereference(source, root);
  if (!isRecord(schema)) return { schema, nullable: false };
  const { type } = schema;
  if (Array.isArray(type)) {
    const others: unknown[] = type.filter((one) => one !== 'null');
    if (others.length !== 1) return { schema, nullable: false };
    return { schema: { ...schema, type: others[0] }, nullable: others.length < type.length };
  }
  const variants = alternatives(schema);
  const others = variants.filter((one) => !isNull(one));
  if (others.length === variants.length || others.length === 0) return { schema, nullable: false };
  const { anyOf: _anyOf, oneOf: _oneOf, ...outer } = schema;
  if (others.length > 1) return { schema: { ...outer, anyOf: others }, nullable: true };
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

/** Resolves local references; a missing or circular reference gives a schema that accepts anything. */
function dereference(source: unknown, root: unknown): unknown {
  let schema = source;
  for (let steps = 0; isRecord(schema) && typeof schema['$ref'] === 'string'; steps += 1) {
    const { $ref: reference, ...beside } = schema as UnknownRecord & { readonly $ref: string };
    const tokens = reference.startsWith('#') ? pointerTokens(decodeURI(reference.slice(1))) : undefined;
    let found: unknown = tokens === undefined || steps > 20 ? undefined : root;
    for (const token of tokens ?? []) found = isRecord(found) ? ownMember(found, token) : undefined;
    schema = isRecord(found) ? { ...found, ...beside } : beside;
  }
  return schema;
}

/** The options of an `enum`, or of alternatives with one value each. */
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

/** The options of a union of choices and a text without limits: a person chooses one, or writes another. */
function choicesBesideText(schema: UnknownRecord, root: unknown): readonly Option[] | undefined {
  const variants = alternatives(schema).map((one) => dereference(one, root));
  const texts = variants.filter((one) => isRecord(one) && one['type'] === 'string' && !isChoice(one));
  if (texts.length !== 1) return undefined;
  const options = variants.flatMap((one) =>
    isRecord(one) && !texts.includes(one) ? [optionsOf(one, root)] : [],
  );
  const known = options.filter((one) => one !== undefined);
  return known.length > 0 && known.length === variants.length - 1 ? known.flat() : undefined;
}

function isChoice(schema: UnknownRecord): boolean {
  return 'enum' in schema || 'const' in schema;
}

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** What a field without a control takes: the types of its values, and whether a text is one of them. */
function jsonTypes(
  schema: UnknownRecord,
  root: unknown,
): { readonly takesText?: true; readonly types?: readonly string[] } {
  const types = new Set(typesOf(schema, root));
  return types.has('string')
    ? { takesText: true, ...(types.size === JSON_TYPES.length ? {} : { types: [...types] }) }
    : {};
}

/** The JSON types that a schema may take, by its `type` and those of its alternatives. */
function typesOf(source: unknown, root: unknown): readonly string[] {
  const schema = dereference(source, root);
  if (!isRecord(schema)) return schema === false ? [] : JSON_TYPES;
  const type = typeOf(schema);
  if (type !== undefined)
    return Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(values)) return values.map(typeOfValue);
  const variants = alternatives(schema);
  return variants.length === 0 ? JSON_TYPES : variants.flatMap((one) => typesOf(one, root));
}

/** The JSON Schema type of a value. */
export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function labelOf(value: unknown): string {
  return visibleText(typeof value === 'string' ? value : canonicalJson(value));
}

function typeOf(schema: UnknownRecord): unknown {
  if (schema['type'] !== undefined) return schema['type'];
  return isRecord(schema['properties']) ? 'object' : undefined;
}

/** A text of the schema, to be shown. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? visibleText(value) : undefined;
}

function numberMember<Name extends 'minimum' | 'maximum'>(
  schema: UnknownRecord,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = schema[name];
  return typeof value === 'number' ? ({ [name]: value } as { [Key in Name]: number }) : {};
}
