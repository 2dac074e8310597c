import { EventEncoder } from '@ag-ui/encoder';
import { EventType } from '@ag-ui/core';
import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import type { HoldpointError } from '../../core/index.ts';
import { arbitraryEvent } from '../testing-support/arbitrary-events.ts';
import type { ReceivedEvent } from './read-events.ts';
import { createSseEncoder } from './encode-sse.ts';
import { createSseParser } from './parse-sse.ts';
import { readEvents } from './read-events.ts';

function parse(chunks: readonly (Uint8Array | string)[], maxFrameLength?: number) {
  const frames: { data: string; id: string | undefined }[] = [];
  const options = maxFrameLength === undefined ? {} : { maxFrameLength };
  const parser = createSseParser({ ...options, onFrame: (frame) => frames.push(frame) });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return frames;
}

function split(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

describe('createSseEncoder', () => {
  it('writes frames that read like those of the official encoder', () => {
    const official = new EventEncoder();
    const encoder = createSseEncoder();
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        const ours = parse([encoder.encode({ ...event })]);
        const theirs = parse([official.encodeSSE(event)]);
        expect(ours.map(({ data }) => JSON.parse(data) as unknown)).toEqual(
          theirs.map(({ data }) => JSON.parse(data) as unknown),
        );
      }),
      { numRuns: runs(100) },
    );
  });

  it('writes the deltas of interleaved messages with their own ids', () => {
    const encoder = createSseEncoder();
    const content = (messageId: string, delta: string) => ({
      type: EventType.TEXT_MESSAGE_CONTENT,
      messageId,
      delta,
    });
    const events = [content('a', '1'), content('a', '"2"\n'), content('b"\n', '3'), content('a', '4')];
    expect(parse(events.map((event) => encoder.encode(event))).map(({ data }) => JSON.parse(data))).toEqual(
      events,
    );
    const tagged = { ...content('a', '5'), subagentRunId: 's' };
    expect(parse([encoder.encode(tagged)]).map(({ data }) => JSON.parse(data))).toEqual([tagged]);
  });

  it('writes the id of a frame, and never a carriage return', () => {
    const frame = createSseEncoder().encode({ type: 'CUSTOM', name: 'x', value: '\r\n\u2028' }, 17);
    expect(frame).toBe('id: 17\ndata: {"type":"CUSTOM","name":"x","value":"\\r\\n\u2028"}\n\n');
  });
});

describe('createSseParser', () => {
  it('reads the same frames for every split of the bytes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (texts, newline, sizes) => {
          const frames = texts.map((text) => JSON.stringify(text));
          const body = frames.map(
            (data, id) => `: note${newline}id: ${id}${newline}data: ${data}${newline}${newline}`,
          );
          const bytes = new TextEncoder().encode(body.join(''));
          expect(parse(split(bytes, sizes))).toEqual(frames.map((data, id) => ({ data, id: String(id) })));
        },
      ),
    );
  });

  it('reads any text like another SSE parser', () => {
    const texts =
      '\n|\r|\r\n|:| |data|data: |data:x|id|id: 7|id: \0|event: e|retry: 5|retry: x|dat|é|\u2028|{"a":1}';
    const piece = fc.constantFrom(...texts.split('|'));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.array(fc.nat(9), { minLength: 1 }),
        (pieces, sizes) => {
          const text = `${pieces.join('')}\n\n`;
          const theirs: { data: string; id: string | undefined }[] = [];
          createParser({ onEvent: ({ data, id }) => theirs.push({ data, id }) }).feed(text);
          expect(parse(split(new TextEncoder().encode(text), sizes))).toEqual(theirs);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it('joins several data lines, and skips a byte order mark, comments and other fields', () => {
    const text =
      '\uFEFFretry: 5\nevent: x\ndata: {"a":\ndata: 1}\n: keep-alive\n\n: keep-alive\n\ndata:2\n\n';
    expect(parse([new TextEncoder().encode(text)]).map(({ data }) => data)).toEqual(['{"a":\n1}', '2']);
  });

  it('throws TOO_LARGE for a frame past the limit, in one chunk or in many', () => {
    const code = { code: 'TOO_LARGE' };
    const long = `data: ${'x'.repeat(500)}`;
    expect(() => parse([`${long}\n\n`], 100)).toThrow(expect.objectContaining(code));
    expect(() => parse(long.split(''), 100)).toThrow(expect.objectContaining(code));
    expect(() => parse([Array.from({ length: 200 }, () => 'data: x').join('\n'), '\n\n'], 100)).toThrow(
      expect.objectContaining(code),
    );
    expect(parse([`data: ${'x'.repeat(90)}\n\n`.repeat(50)], 100)).toHaveLength(50);
  });

  it('emits a last frame that only lacks its blank line', () => {
    expect(parse(['data: 1\n\ndata: 2'])).toHaveLength(2);
    expect(parse(['data: 1\n\n', 'data: 2\n'])).toHaveLength(2);
  });
});

describe('readEvents', () => {
  const body = (text: string) => new Response(text).body!;
  const FRAMES = [
    'id: 1\ndata: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n',
    'id: 2\ndata: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n\n',
  ];

  it('yields events with the ids of their frames', async () => {
    const events: ReceivedEvent[] = [];
    for await (const received of readEvents(body(FRAMES.join('')))) events.push(received);
    expect(events).toMatchObject([
      { id: '1', event: { type: 'RUN_STARTED', threadId: 't', runId: 'r' } },
      { id: '2', event: { type: 'RUN_FINISHED', threadId: 't', runId: 'r' } },
    ]);
  });

  it('yields each event as it came over the wire beside the event in AG-UI 1.0', async () => {
    const wire = {
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'r',
      outcome: 'interrupt',
      interrupt: { id: 'i' },
    };
    const read: ReceivedEvent[] = [];
    for await (const received of readEvents(body(`data: ${JSON.stringify(wire)}\n\n`))) read.push(received);
    expect(read).toMatchObject([{ raw: wire, event: { outcome: { type: 'interrupt' } } }]);
  });

  it('yields the events before a broken frame, then throws', async () => {
    const events: ReceivedEvent[] = [];
    const read = async () => {
      for await (const received of readEvents(body(`${FRAMES[0]}data: {oops}\n\n${FRAMES[1]}`)))
        events.push(received);
    };
    await expect(read()).rejects.toThrow('not JSON');
    expect(events).toHaveLength(1);
  });

  it('skips a broken frame and calls onInvalidFrame', async () => {
    const errors: HoldpointError[] = [];
    const events: ReceivedEvent[] = [];
    const onInvalidFrame = (error: HoldpointError) => errors.push(error);
    const stream = body(`${FRAMES[0]}data: {oops}\n\n${FRAMES[1]}`);
    for await (const received of readEvents(stream, { onInvalidFrame })) events.push(received);
    expect(events).toHaveLength(2);
    expect(errors.map(({ code }) => code)).toEqual(['INPUT_INVALID']);
  });

  it('throws RUN_LOST for a frame that was cut off', async () => {
    const read = async () => {
      for await (const _received of readEvents(body(`${FRAMES[0]}data: {"type":"RUN_FIN`)));
    };
    await expect(read()).rejects.toMatchObject({ code: 'RUN_LOST' });
  });

  it('cancels the stream when the reader leaves', async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(FRAMES.join(''))),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _received of readEvents(stream)) break;
    expect(cancelled).toBe(true);
  });
});
