import type { JsonObject, JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { JsonSchemaObject } from '../core/schema/index.ts';

/** One thing that an `a2a.input.request` asks for. */
export interface InputField {
  readonly name: string;
  /** A JSON Schema type; `string` when absent. */
  readonly type?: string;
  readonly label?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly options?: readonly (JsonValue | { readonly value: JsonValue; readonly label?: string })[];
  readonly default?: JsonValue;
  readonly format?: string;
  /** Is never shown and never kept in the open. */
  readonly secret?: boolean;
  /** What else holds for the value. */
  readonly schema?: JsonObject;
}

/** The member under which a value that is not an object travels: `values` is always one. */
const VALUE = 'value';

/** Whether the answers to a schema are objects, whose members are fields. */
export function isObjectSchema(schema: unknown): schema is JsonSchemaObject {
  return isRecord(schema) && (schema['type'] === 'object' || isRecord(schema['properties']));
}

/** An answer as the `values` of a response. */
export function toValues(schema: unknown, payload: unknown): JsonObject {
  return (isObjectSchema(schema) && isRecord(payload) ? payload : { [VALUE]: payload ?? null }) as JsonObject;
}

/** The answer that `values` stand for. */
export function fromValues(schema: unknown, values: JsonObject): JsonValue {
  return isObjectSchema(schema) ? values : (values[VALUE] ?? null);
}

/** The fields of a response schema; one called `value` where the answer is not an object. */
export function schemaToFields(schema: JsonSchemaObject | undefined): InputField[] {
  if (!isObjectSchema(schema)) return [toField(VALUE, schema ?? {}, true)];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, member]) => toField(name, member, required.includes(name)));
}

function toField(name: string, given: unknown, required: boolean): InputField {
  const schema = isRecord(given) ? given : {};
  const word = (key: string) => (typeof schema[key] === 'string' ? { [key]: schema[key] } : {});
  const options = Array.isArray(schema['enum']) ? { options: schema['enum'] as JsonValue[] } : {};
  const secret = schema['writeOnly'] === true || schema['format'] === 'password';
  return {
    name,
    type: typeof schema['type'] === 'string' ? schema['type'] : 'any',
    ...(typeof schema['title'] === 'string' ? { label: schema['title'] } : {}),
    ...word('description'),
    ...word('format'),
    required,
    ...options,
    ...(schema['default'] === undefined ? {} : { default: schema['default'] as JsonValue }),
    ...(secret ? { secret } : {}),
  };
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);

/** The response schema of fields, however an agent lists them: an array, a map by name, or a JSON Schema already. */
export function fieldsToSchema(fields: unknown): JsonSchemaObject | undefined {
  if (isObjectSchema(fields)) return fields;
  const list = Array.isArray(fields)
    ? fields.filter((field) => isRecord(field) && typeof field['name'] === 'string')
    : isRecord(fields)
      ? Object.entries(fields).map(([name, field]) => ({ ...(isRecord(field) ? field : {}), name }))
      : [];
  if (list.length === 0) return undefined;
  // Read member by member below.
  const named = list as unknown as readonly InputField[];
  const properties = Object.fromEntries(named.map((field) => [field.name, toMember(field)]));
  const required = named.filter((field) => field.required === true).map(({ name }) => name);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    // A plain approval stays as plain as chat user interfaces want it.
    ...('approved' in properties ? {} : { additionalProperties: false }),
  };
}

function toMember(field: InputField): JsonSchemaObject {
  const options = Array.isArray(field.options) ? field.options : [];
  const values = options.map((option) => (isRecord(option) && 'value' in option ? option['value'] : option));
  const known = field.type !== undefined && TYPES.has(field.type);
  return {
    ...(isRecord(field.schema) ? field.schema : {}),
    ...(known
      ? { type: field.type }
      : field.type === undefined && values.length === 0
        ? { type: 'string' }
        : {}),
    ...(typeof field.label === 'string' ? { title: field.label } : {}),
    ...(typeof field.description === 'string' ? { description: field.description } : {}),
    ...(typeof field.format === 'string' ? { format: field.format } : {}),
    ...(values.length === 0 ? {} : { enum: values }),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.secret === true ? { writeOnly: true } : {}),
  };
}
