import { schemaOfInputType } from '../content/interrupts/index.ts';
import type { JsonObject, JsonValue, UnknownRecord } from '../core/index.ts';
import { defined, isRecord } from '../core/index.ts';
import type { JsonSchemaObject } from '../core/schema/index.ts';

/** One field of an `a2a.input.request`. */
export interface InputField {
  /** The member of `values` that holds the answer. */
  readonly name: string;
  /**
   * A JSON Schema type, or the type of an HTML input: `text`, `textarea`, `email`, `url`, `tel`, `date`, `time`, `datetime-local`,
   * `number`, `checkbox`, `select`, `password` (a secret). Default `string`.
   */
  readonly type?: string;
  /** The title of the field. Default: its name. */
  readonly label?: string;
  readonly description?: string;
  /** Whether an answer must have the field. Default false. */
  readonly required?: boolean;
  /** The allowed values. Default: any value of the type. */
  readonly options?: readonly (JsonValue | { readonly value: JsonValue; readonly label?: string })[];
  readonly default?: JsonValue;
  /** A JSON Schema format, such as `email`. */
  readonly format?: string;
  /** Marks a secret: pages mask the value and stores encrypt it. Default false. */
  readonly secret?: boolean;
  /** Further JSON Schema keywords for the value. */
  readonly schema?: JsonObject;
}

/** The member of `values` for an answer that is not an object. */
const VALUE = 'value';

/** Whether a schema describes an object. */
export function isObjectSchema(schema: unknown): schema is JsonSchemaObject {
  return isRecord(schema) && (schema['type'] === 'object' || isRecord(schema['properties']));
}

/** Writes a payload as the `values` of a response. */
export function toValues(schema: unknown, payload: unknown): JsonObject {
  return (isObjectSchema(schema) && isRecord(payload) ? payload : { [VALUE]: payload ?? null }) as JsonObject;
}

/** Reads the payload from the `values` of a response. */
export function fromValues(schema: unknown, values: JsonObject): JsonValue {
  return isObjectSchema(schema) ? values : (values[VALUE] ?? null);
}

/** The fields of a response schema; a single field `value` if the schema does not describe an object. */
export function schemaToFields(schema: JsonSchemaObject | undefined): InputField[] {
  if (!isObjectSchema(schema)) return [toField(VALUE, schema ?? {}, true)];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, member]) => toField(name, member, required.includes(name)));
}

function toField(name: string, given: unknown, required: boolean): InputField {
  const schema = isRecord(given) ? given : {};
  const isSecret = schema['writeOnly'] === true || schema['format'] === 'password';
  const label = textOf(schema['title']);
  const description = textOf(schema['description']);
  const format = textOf(schema['format']);
  const labels: readonly unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  const options = Array.isArray(schema['enum'])
    ? (schema['enum'] as JsonValue[]).map((value, index) => {
        const name = textOf(labels[index]);
        return name === undefined ? value : { value, label: name };
      })
    : undefined;
  return {
    name,
    type: textOf(schema['type']) ?? 'any',
    ...defined({ label, description, format }),
    required,
    ...defined({ options, default: schema['default'] as JsonValue | undefined }),
    ...(isSecret ? { secret: true } : {}),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);

/** The response schema of `fields`, which may be an array, a map by name, or a JSON Schema. */
export function fieldsToSchema(fields: unknown): JsonSchemaObject | undefined {
  if (isObjectSchema(fields)) return withJsonTypes(fields);
  const list = Array.isArray(fields)
    ? fields.filter((field) => isRecord(field) && typeof field['name'] === 'string')
    : isRecord(fields)
      ? Object.entries(fields).map(([name, field]) => ({ ...(isRecord(field) ? field : {}), name }))
      : [];
  if (list.length === 0) return undefined;
  // `toMember` checks each member.
  const named = list as unknown as readonly InputField[];
  const properties = Object.fromEntries(named.map((field) => [field.name, toMember(field)]));
  const required = named.filter((field) => field.required === true).map(({ name }) => name);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    // Chat user interfaces expect the schema of an approval without this keyword.
    ...('approved' in properties ? {} : { additionalProperties: false }),
  };
}

/** A schema whose members name HTML inputs in place of JSON types; the same schema if none does. */
function withJsonTypes(schema: JsonSchemaObject): JsonSchemaObject {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const members = Object.entries(properties).map(([name, member]): readonly [string, unknown] => {
    const type = isRecord(member) ? member['type'] : undefined;
    const input = typeof type === 'string' && !TYPES.has(type) ? inputSchema(type) : undefined;
    return [name, input === undefined || !isRecord(member) ? member : { ...member, ...input }];
  });
  const isSame = members.every(([name, member]) => member === properties[name]);
  return isSame ? schema : { ...schema, properties: Object.fromEntries(members) };
}

function toMember(field: InputField): JsonSchemaObject {
  const options = Array.isArray(field.options) ? field.options : [];
  const values = options.map((option) => (isRecord(option) && 'value' in option ? option['value'] : option));
  const labels = options.map((option) => (isRecord(option) ? textOf(option['label']) : undefined));
  const isLabelled = labels.some((label) => label !== undefined);
  return {
    ...(isRecord(field.schema) ? field.schema : {}),
    ...typeOf(field, values),
    ...defined({
      title: textOf(field.label),
      description: textOf(field.description),
      format: textOf(field.format),
      enum: values.length === 0 ? undefined : values,
      enumNames: isLabelled ? labels.map((label, index) => label ?? String(values[index])) : undefined,
      default: field.default,
    }),
    ...(field.secret === true ? { writeOnly: true } : {}),
  };
}

/** The type of a field, of which options say nothing: they may have any. A word that is no type says nothing either. */
function typeOf({ type }: InputField, values: readonly unknown[]): UnknownRecord {
  if (type === undefined) return values.length === 0 ? { type: 'string' } : {};
  return TYPES.has(type) ? { type } : (inputSchema(type) ?? {});
}

/** The schema of an HTML input; a password is a secret, whatever its other members say. */
function inputSchema(type: string): UnknownRecord | undefined {
  const schema = schemaOfInputType(type);
  return schema?.['format'] === 'password' ? { ...schema, writeOnly: true } : schema;
}
