import type { Event } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryEvent } from '../testing-support/arbitrary-events.ts';
import { createBinaryParser } from './binary-parser.ts';
import { decodeBinaryEvent } from './decode-event.ts';
import { encodeBinaryEvent, encodeBinaryFrame } from './encode-event.ts';

const hello: Event = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta: 'Grüße 🙂' };
const step: Event = { type: EventType.STEP_STARTED, stepName: 's' };
const stream = concatenate([encodeBinaryFrame(hello), encodeBinaryFrame(step)]);

describe('createBinaryParser', () => {
  it('reads events for every split of the bytes in two or three', () => {
    for (let first = 0; first <= stream.length; first += 1) {
      for (let second = first; second <= stream.length; second += 1) {
        const chunks = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
        expect(readAll(chunks)).toStrictEqual([hello, step]);
      }
    }
  });

  it('reads any events in chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryEvent(), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        (events, sizes) => {
          const bytes = concatenate(events.map((event) => encodeBinaryFrame(event)));
          const expected = events.map((event) => decodeBinaryEvent(encodeBinaryEvent(event)));
          expect(readAll(cut(bytes, sizes))).toStrictEqual(expected);
        },
      ),
    );
  });

  it('reads a megabyte that arrives byte by byte', () => {
    const large: Event = { type: EventType.RAW, event: 'x'.repeat(1024 * 1024) };
    expect(readAll(cut(encodeBinaryFrame(large), [1]))).toStrictEqual([large]);
  });

  it('returns each event with its last byte', () => {
    const events: unknown[] = [];
    const parser = createBinaryParser({ onEvent: (event) => events.push(event) });
    parser.push(stream.subarray(0, encodeBinaryFrame(hello).length));
    expect(events).toStrictEqual([hello]);
  });

  it('does not keep the chunk', () => {
    const events: unknown[] = [];
    const parser = createBinaryParser({ onEvent: (event) => events.push(event) });
    const chunk = stream.slice(0, 9);
    parser.push(chunk);
    chunk.fill(0);
    parser.push(stream.subarray(9));
    expect(events).toStrictEqual([hello, step]);
  });

  it('skips an event of a later protocol and continues', () => {
    const future = Uint8Array.of(0, 0, 0, 5, 0x82, 0x02, 0x02, 0x08, 0x01);
    expect(readAll([future, stream])).toStrictEqual([hello, step]);
  });

  it('throws TOO_LARGE for a frame past the limit, and accepts one at the limit', () => {
    const frame = encodeBinaryFrame(step);
    expect(readAll([frame], frame.length - 4)).toStrictEqual([step]);
    expect(() => readAll([frame.subarray(0, 4)], frame.length - 5)).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    );
    expect(() => readAll([Uint8Array.of(0xff, 0xff, 0xff, 0xff)])).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    );
  });

  it('throws RUN_LOST when the stream ends inside a frame', () => {
    const { length } = encodeBinaryFrame(step);
    for (let end = 1; end < length; end += 1) {
      expect(() => readAll([encodeBinaryFrame(step).subarray(0, end)])).toThrow(
        expect.objectContaining({ code: 'RUN_LOST' }),
      );
    }
    expect(readAll([])).toStrictEqual([]);
  });

  it.each([
    ['an empty event', Uint8Array.of(0, 0, 0, 0)],
    ['a malformed event', Uint8Array.of(0, 0, 0, 1, 0xff)],
  ])('throws for %s and for everything after it', (_name, bytes) => {
    const events: unknown[] = [];
    const parser = createBinaryParser({ onEvent: (event) => events.push(event) });
    const invalid = expect.objectContaining({ code: 'INPUT_INVALID' });
    expect(() => parser.push(bytes)).toThrow(invalid);
    expect(() => parser.push(stream)).toThrow(invalid);
    expect(() => parser.end()).toThrow(invalid);
    expect(events).toStrictEqual([]);
  });

  it('rethrows the error of the listener', () => {
    const failure = new Error('the listener failed');
    const parser = createBinaryParser({
      onEvent: () => {
        throw failure;
      },
    });
    expect(() => parser.push(stream)).toThrow(failure);
  });
});

function readAll(chunks: readonly Uint8Array[], maxFrameLength?: number): unknown[] {
  const events: unknown[] = [];
  const onEvent = (event: unknown): number => events.push(event);
  const parser = createBinaryParser(maxFrameLength === undefined ? { onEvent } : { onEvent, maxFrameLength });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return events;
}

/** Cuts bytes into chunks of the given sizes, repeatedly. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const end = offset + (sizes[chunks.length % sizes.length] ?? 1);
    chunks.push(bytes.subarray(offset, end));
    offset = end;
  }
  return chunks;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
