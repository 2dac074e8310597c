import type { UnknownRecord } from '../core/index.ts';
import { isRecord, ownMember } from '../core/index.ts';

/**
 * Converts a typed string to the response schema of an interrupt. Without a schema the result is `{response:
 * text}`. A schema of strings keeps the text; a schema of numbers or booleans takes the literal; an object with
 * exactly one string property and no other required one becomes an object with that property. Other texts stay as
 * they are, and validation rejects them.
 */
export function fitString(text: string, schema: UnknownRecord | undefined): unknown {
  if (schema === undefined) return { response: text };
  const types = typesOf(schema);
  if (types.has('string')) return text;
  if (types.has('number') || types.has('integer') || types.has('boolean')) return literal(text, types);
  const property = types.has('object') ? onlyStringProperty(schema) : undefined;
  return property === undefined ? text : { [property]: text };
}

/** The types that a schema accepts, without following references. */
function typesOf(schema: unknown): ReadonlySet<unknown> {
  if (!isRecord(schema)) return new Set();
  const type = ownMember(schema, 'type');
  if (type !== undefined) return new Set(Array.isArray(type) ? type : [type]);
  const values = ownMember(schema, 'enum');
  if (Array.isArray(values)) return new Set(values.map((value) => typeof value));
  if (Object.hasOwn(schema, 'const')) return new Set([typeof schema['const']]);
  const branches = ownMember(schema, 'anyOf') ?? ownMember(schema, 'oneOf');
  if (Array.isArray(branches)) return new Set(branches.flatMap((branch) => [...typesOf(branch)]));
  return new Set(Object.hasOwn(schema, 'properties') ? ['object'] : []);
}

const LITERAL = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** The number or boolean that a text spells exactly; an integer that JavaScript cannot represent stays text. */
function literal(text: string, types: ReadonlySet<unknown>): unknown {
  if (!LITERAL.test(text)) return text;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'boolean') return types.has('boolean') ? value : text;
  if (Number.isInteger(value)) {
    return Number.isSafeInteger(value) && (types.has('number') || types.has('integer')) ? value : text;
  }
  return Number.isFinite(value) && types.has('number') ? value : text;
}

function onlyStringProperty(schema: UnknownRecord): string | undefined {
  const properties = ownMember(schema, 'properties');
  if (!isRecord(properties)) return undefined;
  const [name, ...others] = Object.keys(properties).filter((key) => typesOf(properties[key]).has('string'));
  if (name === undefined || others.length > 0) return undefined;
  const required = ownMember(schema, 'required');
  return Array.isArray(required) && required.some((key) => key !== name) ? undefined : name;
}
