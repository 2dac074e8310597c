import type { Field, Shape } from './shape.ts';
import { fieldsOf } from './shape.ts';
import { SHAPES } from './shape-table.ts';

type Schema = Readonly<Record<string, unknown>>;

const PRIMITIVES: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  count: { type: 'integer', minimum: 0 },
  boolean: { type: 'boolean' },
  record: { type: 'object' },
  pointer: { type: 'string', format: 'json-pointer' },
  any: {},
  none: { not: {} },
  Content: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/ContentPart' } }] },
};

/**
 * The whole vocabulary as one JSON Schema (draft 2020-12): the root describes an event, `$defs` holds every
 * event by its type, `RunAgentInput`, `Interrupt`, `ResumeEntry` and the rest.
 *
 * @example
 * ```ts
 * import { protocolJsonSchema } from 'holdpoint/protocol';
 *
 * console.log(JSON.stringify(protocolJsonSchema(), undefined, 2));
 * ```
 */
export function protocolJsonSchema(): Schema {
  const definitions: Record<string, Schema> = {};
  for (const [name, shape] of Object.entries(SHAPES.parts)) definitions[name] = objectSchema(shape);
  for (const [name, choice] of Object.entries(SHAPES.choices)) {
    definitions[name] = {
      oneOf: Object.entries(choice.of).map(([word, shape]) => ({
        allOf: [{ properties: { [choice.by]: { const: word } }, required: [choice.by] }, reference(shape)],
      })),
    };
  }
  for (const [type, shape] of Object.entries(SHAPES.events)) {
    definitions[type] = objectSchema(shape, { type: { const: type } });
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    oneOf: Object.keys(SHAPES.events).map(reference),
    $defs: definitions,
  };
}

function objectSchema(shape: Shape, fixed: Readonly<Record<string, Schema>> = {}): Schema {
  const properties: Record<string, Schema> = { ...fixed };
  const required = Object.keys(fixed);
  for (const field of fieldsOf(shape)) {
    properties[field.key] = field.list ? listSchema(field) : itemSchema(field);
    if (!field.optional) required.push(field.key);
  }
  return { type: 'object', properties, required };
}

function listSchema(type: Field): Schema {
  const schema = { type: 'array', items: itemSchema(type) };
  return type.filled ? { ...schema, minItems: 1 } : schema;
}

function itemSchema(type: Field): Schema {
  if (type.words !== undefined) return { enum: type.words };
  return PRIMITIVES[type.name] ?? reference(type.name);
}

function reference(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}
