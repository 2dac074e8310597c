import type { Event } from '@ag-ui/core';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, kindOf } from '../../core/index.ts';
import { notEncodable, notNamed } from './binary-errors.ts';
import { writeStruct, writeValue } from './binary-json.ts';
import { toWireForm } from './wire-forms.ts';
import type { Field, Shape, Union } from './wire-shapes.ts';
import { ENVELOPE, EVENT_TYPE_NUMBERS, SHAPES, UNION_ARMS } from './wire-shapes.ts';
import type { RecordKind } from './wire-table.ts';
import { PREFIX_LENGTH } from './wire-table.ts';

/**
 * The protobuf message of an event, without a length prefix. Drops unknown fields and optional nulls, as AG-UI
 * does. Throws `INPUT_INVALID` for an unknown type, for a missing field or one of a wrong kind, and for a value
 * that is not JSON or nested past 100 levels.
 *
 * @example
 * ```ts
 * import { encodeBinaryEvent } from 'holdpoint/protocol';
 *
 * const message = encodeBinaryEvent(event);
 * ```
 */
export function encodeBinaryEvent(event: Event): Uint8Array {
  const writer = new BinaryWriter();
  writeEvent(writer, event);
  return writer.finish();
}

/**
 * The frame of an event in a stream: the length, then the message. Throws as {@link encodeBinaryEvent}.
 *
 * @example
 * ```ts
 * import { AGUI_BINARY_MEDIA_TYPE, encodeBinaryFrame } from 'holdpoint/protocol';
 *
 * const response = new Response(encodeBinaryFrame(event).slice(), {
 *   headers: { 'content-type': AGUI_BINARY_MEDIA_TYPE },
 * });
 * ```
 */
export function encodeBinaryFrame(event: Event): Uint8Array {
  const writer = new BinaryWriter();
  // The length is filled in at the end.
  writer.fixed32(0);
  writeEvent(writer, event);
  const frame = writer.finish();
  new DataView(frame.buffer).setUint32(0, frame.length - PREFIX_LENGTH);
  return frame;
}

function writeEvent(writer: BinaryWriter, event: Event): void {
  const { type, timestamp, rawEvent, metadata } = event;
  const baseEvent = { type: EVENT_TYPE_NUMBERS.get(type), timestamp, rawEvent, metadata };
  writeArm(writer, ENVELOPE, { ...event, baseEvent });
}

/** Writes a message in the order of its shape. Throws `INPUT_INVALID` for a missing field or one of a wrong kind. */
function writeMessage(writer: BinaryWriter, shape: Shape, record: UnknownRecord): void {
  const wire = toWireForm(shape.name, record);
  for (const field of shape.fields) {
    const value = wire[field.name];
    if (field.repeated) writeItems(writer, field, value);
    else if (isWritten(field, value)) writeField(writer, field, value);
  }
}

function isWritten(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) {
    if (field.optional) return false;
    if (field.kind === 'Value') return value === null;
    throw notEncodable(`${field.path} is missing`);
  }
  // proto3 leaves out the default of a required scalar; a Value has no default.
  return field.optional || field.kind === 'Value' || (value !== '' && value !== 0);
}

function writeItems(writer: BinaryWriter, field: Field, value: unknown): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) throw wrongKind(field, 'an array', value);
  for (const item of value) writeField(writer, field, item);
}

function writeField(writer: BinaryWriter, field: Field, value: unknown): void {
  const { kind } = field;
  writer.uint32(field.tag);
  if (kind === 'string') {
    if (typeof value !== 'string') throw wrongKind(field, 'a string', value);
    writer.string(value);
  } else if (kind === 'bool') {
    if (typeof value !== 'boolean') throw wrongKind(field, 'a boolean', value);
    writer.bool(value);
  } else if (kind === 'int32') {
    writer.int32(safeInteger(field, value));
  } else if (kind === 'int64') {
    writer.int64(safeInteger(field, value));
  } else if (kind === 'Value') {
    writer.fork();
    writeValue(writer, value);
    writer.join();
  } else {
    if (!isRecord(value)) throw wrongKind(field, 'an object', value);
    writer.fork();
    writeRecord(writer, kind, value);
    writer.join();
  }
}

function writeRecord(writer: BinaryWriter, kind: RecordKind, record: UnknownRecord): void {
  if (kind === 'Struct') writeStruct(writer, record);
  else if (kind === 'ContentPart' || kind === 'Source') writeArm(writer, UNION_ARMS[kind], record);
  else writeMessage(writer, SHAPES[kind], record);
}

/** Writes the oneof arm that the value's `type` names. Throws `INPUT_INVALID` for an unknown type. */
function writeArm(writer: BinaryWriter, union: Union, value: UnknownRecord): void {
  const arm = typeof value.type === 'string' ? union.byType.get(value.type) : undefined;
  if (arm === undefined) throw notNamed('type', value.type);
  writer.uint32(arm.tag).fork();
  writeMessage(writer, arm.shape, value);
  writer.join();
}

function safeInteger(field: Field, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw wrongKind(field, 'a safe integer', value);
}

function wrongKind(field: Field, expected: string, value: unknown): Error {
  return notEncodable(`${field.path} is ${kindOf(value)} where ${expected} belongs`);
}
