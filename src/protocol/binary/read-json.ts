import type { UnknownRecord } from '../../core/index.ts';
import { isForbiddenKey, isRecord } from '../../core/index.ts';
import { malformed } from './binary-errors.ts';
import { JSON_TAG } from './json-tags.ts';
import type { WireInput } from './wire-input.ts';
import { readDeeper, readEachField, readNested } from './wire-input.ts';

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
