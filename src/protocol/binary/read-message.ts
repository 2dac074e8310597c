import type { UnknownRecord } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';
import { readStruct, readValue } from './read-json.ts';
import { fromWireForm } from './wire-forms.ts';
import type { WireInput } from './wire-input.ts';
import { readEachField, readNested } from './wire-input.ts';
import type { RecordKind } from './wire-notation.ts';
import type { Field, Shape, Union } from './wire-shapes.ts';
import { messageTagOf, SHAPES, UNION_ARMS } from './wire-shapes.ts';

/**
 * Reads a oneof: the message of its arm, with the arm's name as `type`. An unknown or missing arm gives no `type`.
 * Throws `INPUT_INVALID` for two arms, because readers would disagree.
 */
export function readArm(input: WireInput, union: Union, record: UnknownRecord = {}): UnknownRecord {
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
