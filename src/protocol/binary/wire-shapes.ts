import type { FieldList, Kind, MessageName } from './wire-table.ts';
import { EVENTS, MESSAGES, UNIONS } from './wire-table.ts';

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

function wireTypeOf(kind: string): number {
  return kind === 'int32' || kind === 'int64' || kind === 'bool' ? VARINT : LENGTH_DELIMITED;
}

/** The tag that a field would have if it were a message. */
export function messageTagOf(tag: number): number {
  return tag - (tag % 8) + LENGTH_DELIMITED;
}

function shapeFrom(name: string, fieldList: FieldList): Shape {
  const parsed = [...fieldList.matchAll(/(\w+)(?::(\w+))?(\[\])?(\??)/g)];
  const fields = parsed.map(([, field = '', kind = 'string', repeated, optional], index): Field => ({
    name: field,
    path: `${name}.${field}`,
    tag: (index + 1) * 8 + wireTypeOf(kind),
    // The table names only kinds that exist.
    kind: kind as Kind,
    repeated: repeated !== undefined,
    optional: optional === '?',
  }));
  return { name, fields, byTag: new Map(fields.map((field) => [field.tag, field])) };
}

/** A oneof whose arms are numbered from 1. */
function unionFrom(shapes: readonly (readonly [type: string, shape: Shape])[]): Union {
  const arms = shapes.map(([type, shape], index): Arm => ({
    type,
    tag: (index + 1) * 8 + LENGTH_DELIMITED,
    shape,
  }));
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
export const SHAPES: Readonly<Record<MessageName, Shape>> = mapValues(MESSAGES, (fields, name) =>
  shapeFrom(name, fields),
);

/** The oneofs inside messages, by name. */
export const UNION_ARMS: Readonly<Record<keyof typeof UNIONS, Union>> = mapValues(UNIONS, (arms) =>
  unionFrom(Object.entries(arms).map(([type, message]) => [type, SHAPES[message]])),
);

/** The envelope: every event is an arm of one oneof. */
export const ENVELOPE: Union = unionFrom(
  Object.entries(EVENTS).map(([type, [, fields]]) => [
    type,
    shapeFrom(type, `baseEvent:BaseEvent ${fields}`),
  ]),
);

/** The number of each event type in the base event. */
export const EVENT_TYPE_NUMBERS: ReadonlyMap<unknown, number> = new Map(
  Object.entries(EVENTS).map(([type, [number]]) => [type, number]),
);
