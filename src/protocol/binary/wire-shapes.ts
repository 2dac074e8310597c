import type { FieldTable, Kind, MessageName, UnionName } from './wire-notation.ts';
import { EVENT_FIELDS, EVENT_NUMBERS, MESSAGES, UNIONS } from './wire-table.ts';

/** A field as the writer and the reader use it. */
export interface Field {
  readonly name: string;
  /** The message and the field, for error messages. */
  readonly path: string;
  /** Field number and wire type in one number, as on the wire. */
  readonly tag: number;
  readonly kind: Kind;
  readonly repeated: boolean;
  readonly optional: boolean;
}

/** A message; `fields` in the order of the bytes. */
export interface Shape {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly byTag: ReadonlyMap<number, Field>;
}

/** One arm of a oneof: the `type` in JSON, the tag on the wire, and the message in it. */
interface Arm {
  readonly type: string;
  readonly tag: number;
  readonly shape: Shape;
}

/** A oneof. */
export interface Union {
  readonly byType: ReadonlyMap<string, Arm>;
  readonly byTag: ReadonlyMap<number, Arm>;
}

/** Wire types of protobuf that AG-UI fields use. */
const VARINT = 0;
const LENGTH_DELIMITED = 2;

function wireTypeOf(kind: Kind): number {
  return kind === 'int32' || kind === 'int64' || kind === 'bool' ? VARINT : LENGTH_DELIMITED;
}

/** The tag that a field would have if it were a message. */
export function messageTagOf(tag: number): number {
  return tag - (tag % 8) + LENGTH_DELIMITED;
}

function shapeFrom(name: string, table: FieldTable): Shape {
  const fields = Object.entries(table).map(([fieldName, [number, notation]]): Field => {
    const optional = notation.endsWith('?');
    const plain = optional ? notation.slice(0, -1) : notation;
    const repeated = plain.endsWith('[]');
    // Without its marks, a notation is its kind.
    const kind = (repeated ? plain.slice(0, -2) : plain) as Kind;
    return {
      name: fieldName,
      path: `${name}.${fieldName}`,
      tag: number * 8 + wireTypeOf(kind),
      kind,
      repeated,
      optional,
    };
  });
  return { name, fields, byTag: new Map(fields.map((field) => [field.tag, field])) };
}

function unionFrom(arms: readonly Arm[]): Union {
  return {
    byType: new Map(arms.map((arm) => [arm.type, arm])),
    byTag: new Map(arms.map((arm) => [arm.tag, arm])),
  };
}

function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  map: (value: From, name: Name) => To,
): Readonly<Record<Name, To>> {
  // `Object.entries` and `Object.fromEntries` lose the types of the names.
  const entries = Object.entries(record) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, map(value, name)])) as Record<Name, To>;
}

/** The messages by name. */
export const SHAPES: Readonly<Record<MessageName, Shape>> = mapValues(MESSAGES, (table, name) =>
  shapeFrom(name, table),
);

/** The oneofs inside messages, by name. */
export const UNION_ARMS: Readonly<Record<UnionName, Union>> = mapValues(UNIONS, (arms) =>
  unionFrom(
    Object.entries(arms).map(([type, [number, message]]) => ({
      type,
      tag: number * 8 + LENGTH_DELIMITED,
      shape: SHAPES[message],
    })),
  ),
);

const eventShapes = mapValues(EVENT_FIELDS, (table, type) =>
  shapeFrom(type, { baseEvent: [1, 'BaseEvent'], ...table }),
);

/** The envelope: every event is an arm of one oneof. */
export const ENVELOPE: Union = unionFrom(
  Object.values(
    mapValues(EVENT_NUMBERS, ([number], type) => ({
      type,
      tag: number * 8 + LENGTH_DELIMITED,
      shape: eventShapes[type],
    })),
  ),
);

/** The number of each event type in the base event. */
export const EVENT_TYPE_NUMBERS: ReadonlyMap<unknown, number> = new Map(
  Object.entries(EVENT_NUMBERS).map(([type, [, number]]) => [type, number]),
);
