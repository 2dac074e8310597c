import type { UnknownRecord } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';
import { readStruct, readValue } from './binary-json.ts';
import { fromWireForm } from './wire-forms.ts';
import type { WireInput } from './wire-input.ts';
import { openInput, readEachField, readNested } from './wire-input.ts';
import type { Field, Shape, Union } from './wire-shapes.ts';
import { ENVELOPE, EVENT_TYPE_NUMBERS, messageTagOf, SHAPES, UNION_ARMS } from './wire-shapes.ts';
import type { RecordKind } from './wire-table.ts';

/**
 * The JSON of an event from its protobuf message; missing optional fields are absent. The structure is sound but
 * not validated, like that of an event from SSE. Returns undefined for an event of a later protocol; drops unknown
 * fields. Throws only `INPUT_INVALID`: for bytes that are not an event, for JSON past the limits of `parseJson`,
 * and for a member named `__proto__` or `constructor`.
 *
 * @example
 * ```ts
 * import { decodeBinaryEvent, decodeEvent } from 'holdpoint/protocol';
 *
 * const event = decodeEvent(decodeBinaryEvent(bytes));
 * ```
 */
export function decodeBinaryEvent(bytes: Uint8Array): unknown {
  try {
    const event = readArm(openInput(bytes), ENVELOPE);
    if (typeof event.type === 'string') return fromWireForm(event.type, withoutBase(event));
    if (isFutureEvent(bytes)) return undefined;
  } catch (cause) {
    throw HoldpointError.is(cause) ? cause : malformed('its bytes are not protobuf', cause);
  }
  throw malformed('it holds no event');
}

/** Moves the members of the base event to the event; its type must match the arm. */
function withoutBase(event: UnknownRecord): UnknownRecord {
  const { baseEvent, ...rest } = event;
  if (!isRecord(baseEvent)) throw malformed('it has no base event');
  const { type, ...base } = baseEvent;
  if (type !== EVENT_TYPE_NUMBERS.get(event.type)) {
    throw malformed(`${String(event.type)} declares the type ${String(type)}`);
  }
  return { ...rest, ...base };
}

/** True for an envelope without a known event, but with a message in an unknown arm. */
function isFutureEvent(bytes: Uint8Array): boolean {
  const input = openInput(bytes);
  let found = false;
  readEachField(input, (tag) => {
    if (tag !== messageTagOf(tag)) return false;
    readNested(input, () => readEachField(input, () => false));
    found = true;
    return true;
  });
  return found;
}

/**
 * Reads a oneof: the message of its arm, with the arm's name as `type`. An unknown or missing arm gives no `type`.
 * Throws `INPUT_INVALID` for two arms, because readers would disagree.
 */
function readArm(input: WireInput, union: Union, record: UnknownRecord = {}): UnknownRecord {
  readEachField(input, (tag) => {
    const arm = union.byTag.get(messageTagOf(tag));
    if (arm === undefined) return false;
    if (tag !== arm.tag) throw malformed('an arm of a oneof is not a message');
    if (record.type !== undefined && record.type !== arm.type) throw malformed('a oneof is set twice');
    record.type = arm.type;
    readNested(input, () => readFields(input, arm.shape, record));
    return true;
  });
  return record;
}

/**
 * Reads the fields of a message into a record: repeated scalars replace, lists grow, messages merge. Fills in
 * fields that JSON always has and the wire leaves out when empty.
 */
function readFields(input: WireInput, shape: Shape, record: UnknownRecord): UnknownRecord {
  readEachField(input, (tag) => {
    const field = shape.byTag.get(tag);
    if (field === undefined) return false;
    const earlier = record[field.name];
    if (!field.repeated) {
      const value = readField(input, field, earlier);
      if (value !== undefined) record[field.name] = value;
      return true;
    }
    const items: unknown[] = Array.isArray(earlier) ? earlier : [];
    items.push(readField(input, field));
    record[field.name] = items;
    return true;
  });
  for (const field of shape.fields) {
    if (!field.optional && record[field.name] === undefined) fillIn(field, record);
  }
  return record;
}

function fillIn(field: Field, record: UnknownRecord): void {
  if (field.repeated) record[field.name] = [];
  else if (field.kind === 'string') record[field.name] = '';
  else if (field.kind === 'int32') record[field.name] = 0;
}

function readField(input: WireInput, field: Field, earlier?: unknown): unknown {
  const { kind } = field;
  if (kind === 'string') return input.reader.string(true);
  if (kind === 'bool') return input.reader.bool();
  if (kind === 'int32') return input.reader.int32();
  if (kind === 'int64') return safeNumber(input.reader.int64(), field);
  if (kind === 'Value') return readNested(input, () => readValue(input, earlier));
  return readNested(input, () => readRecord(input, kind, isRecord(earlier) ? earlier : undefined));
}

function readRecord(input: WireInput, kind: RecordKind, earlier?: UnknownRecord): UnknownRecord {
  if (kind === 'Struct') return readStruct(input, earlier);
  if (kind === 'ContentPart' || kind === 'Source') return readArm(input, UNION_ARMS[kind], earlier);
  // A message with its own form is always in a list, so there is no earlier one to merge.
  return fromWireForm(kind, readFields(input, SHAPES[kind], earlier ?? {}));
}

function safeNumber(value: bigint | string, field: Field): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw malformed(`${field.path} is not a safe integer`);
  return number;
}
