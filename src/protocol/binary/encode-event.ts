import type { Event } from '@ag-ui/core';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { PREFIX_LENGTH } from './wire-format.ts';
import { ENVELOPE, EVENT_TYPE_NUMBERS } from './wire-shapes.ts';
import { writeArm } from './write-message.ts';

/**
 * The protobuf message of an event, without a length prefix. Drops unknown fields and optional nulls, as AG-UI
 * does. Throws `INPUT_INVALID` for an unknown type, for a missing field or one of a wrong kind, and for a value
 * that is not JSON or nested past 100 levels.
 */
export function encodeBinaryEvent(event: Event): Uint8Array {
  const writer = new BinaryWriter();
  writeEvent(writer, event);
  return writer.finish();
}

/** The frame of an event in a stream: the length, then the message. Throws as {@link encodeBinaryEvent}. */
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
