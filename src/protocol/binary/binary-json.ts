import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { UnknownRecord } from '../../core/index.ts';
import { DEFAULT_JSON_LIMITS, isForbiddenKey, isRecord } from '../../core/index.ts';
import { malformed, notEncodable } from './binary-errors.ts';
import type { WireInput } from './wire-input.ts';
import { readDeeper, readEachField, readNested } from './wire-input.ts';

/** The tags of `google/protobuf/struct.proto`: field number and wire type in one number. */
const JSON_TAG = {
  nullValue: 8,
  numberValue: 17,
  stringValue: 26,
  boolValue: 32,
  structValue: 42,
  listValue: 50,
  structEntry: 10,
  entryKey: 10,
  entryValue: 18,
  listItem: 10,
} as const;

/**
 * Reads a `google.protobuf.Value` and merges it into an earlier one of the same field, as protobuf does. A Value
 * without a kind is undefined; a number that JSON does not have is null, as in JSON text.
 */
export function readValue(input: WireInput, earlier?: unknown): unknown {
  const { reader } = input;
  let value = earlier;
  readEachField(input, (tag) => {
    switch (tag) {
      case JSON_TAG.nullValue:
        reader.int32();
        value = null;
        return true;
      case JSON_TAG.numberValue: {
        const number = reader.double();
        value = Number.isFinite(number) ? number : null;
        return true;
      }
      case JSON_TAG.stringValue:
        value = reader.string(true);
        return true;
      case JSON_TAG.boolValue:
        value = reader.bool();
        return true;
      case JSON_TAG.structValue: {
        const struct = isRecord(value) ? value : {};
        value = readNested(input, () => readStruct(input, struct));
        return true;
      }
      case JSON_TAG.listValue: {
        const list: unknown[] = Array.isArray(value) ? value : [];
        value = readNested(input, () => readList(input, list));
        return true;
      }
      default:
        return false;
    }
  });
  return value;
}

/** Reads a `google.protobuf.Struct` into a record. Throws `INPUT_INVALID` for a forbidden member name. */
export function readStruct(input: WireInput, record: UnknownRecord = {}): UnknownRecord {
  return readDeeper(input, () => {
    readEachField(input, (tag) => {
      if (tag !== JSON_TAG.structEntry) return false;
      readNested(input, () => readEntry(input, record));
      return true;
    });
    return record;
  });
}

function readEntry(input: WireInput, record: UnknownRecord): void {
  let key = '';
  let value: unknown;
  readEachField(input, (tag) => {
    if (tag === JSON_TAG.entryKey) key = input.reader.string(true);
    else if (tag === JSON_TAG.entryValue) value = readNested(input, () => readValue(input, value));
    else return false;
    return true;
  });
  if (isForbiddenKey(key)) throw malformed(`the name ${key} is not accepted`);
  if (value !== undefined) record[key] = value;
}

function readList(input: WireInput, list: unknown[]): unknown[] {
  return readDeeper(input, () => {
    readEachField(input, (tag) => {
      if (tag !== JSON_TAG.listItem) return false;
      // An item must keep its index: an item without a kind is null, like undefined in JSON text.
      list.push(readNested(input, () => readValue(input)) ?? null);
      return true;
    });
    return list;
  });
}

/**
 * Writes JSON as a `google.protobuf.Value`. An undefined array item becomes a Value without a kind. Throws
 * `INPUT_INVALID` for a value that is not JSON and for more than 100 levels.
 */
export function writeValue(writer: BinaryWriter, value: unknown, depth = 0): void {
  if (value === undefined) return;
  if (value === null) writer.uint32(JSON_TAG.nullValue).int32(0);
  else if (typeof value === 'number') writer.uint32(JSON_TAG.numberValue).double(value);
  else if (typeof value === 'string') writer.uint32(JSON_TAG.stringValue).string(value);
  else if (typeof value === 'boolean') writer.uint32(JSON_TAG.boolValue).bool(value);
  else if (isRecord(value)) {
    writer.uint32(JSON_TAG.structValue).fork();
    writeStruct(writer, value, depth);
    writer.join();
  } else if (Array.isArray(value)) {
    writer.uint32(JSON_TAG.listValue).fork();
    writeList(writer, value, depth);
    writer.join();
  } else throw notEncodable(`a ${typeof value} is not JSON`);
}

/** Writes an object as a `google.protobuf.Struct`; undefined members are absent. Throws as {@link writeValue}. */
export function writeStruct(writer: BinaryWriter, record: UnknownRecord, depth = 0): void {
  checkDepth(depth);
  for (const key of Object.keys(record)) {
    const value = record[key];
    // No reader can create a member `__proto__`; the official encoder loses it too.
    if (value === undefined || key === '__proto__') continue;
    writer.uint32(JSON_TAG.structEntry).fork();
    if (key !== '') writer.uint32(JSON_TAG.entryKey).string(key);
    writer.uint32(JSON_TAG.entryValue).fork();
    writeValue(writer, value, depth + 1);
    writer.join().join();
  }
}

function writeList(writer: BinaryWriter, items: readonly unknown[], depth: number): void {
  checkDepth(depth);
  for (const item of items) {
    writer.uint32(JSON_TAG.listItem).fork();
    writeValue(writer, item, depth + 1);
    writer.join();
  }
}

/** Also ends a value that contains itself. */
function checkDepth(depth: number): void {
  const { maxDepth } = DEFAULT_JSON_LIMITS;
  if (depth >= maxDepth) throw notEncodable(`JSON is nested deeper than ${maxDepth} levels`);
}
