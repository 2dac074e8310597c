import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { UnknownRecord } from '../../core/index.ts';
import { DEFAULT_JSON_LIMITS, isRecord } from '../../core/index.ts';
import { notEncodable } from './binary-errors.ts';
import { JSON_TAG } from './json-tags.ts';

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
