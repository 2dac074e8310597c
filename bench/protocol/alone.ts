import { createEmitter, createEventReader, createSseEncoder, createSseParser } from 'holdpoint/protocol';
import { chunkPerEvent } from './consume.ts';
import type { Contest } from './contest.ts';
import { aRun, aText, words } from './samples.ts';

const DELTAS = 20_000;

/** What ours costs where nothing compares: writing a run through the emitter, reading text deltas. */
export const lonelyContests: readonly Contest[] = [
  {
    name: 'emitter',
    prepare() {
      const pieces = words(DELTAS);
      return { events: DELTAS, ours: () => emitText(pieces) };
    },
  },
  {
    name: 'decode',
    prepare() {
      const chunks = chunkPerEvent(aRun(aText(DELTAS)));
      return { events: DELTAS, ours: () => readAll(chunks) };
    },
  },
];

function emitText(pieces: readonly string[]): number {
  const encoder = createSseEncoder();
  const toBytes = new TextEncoder();
  const buffer = new Uint8Array(4 * 1024);
  let bytes = 0;
  const emitter = createEmitter({
    threadId: 'thread-1',
    runId: 'run-1',
    write: (event) => {
      bytes += toBytes.encodeInto(encoder.encode(event), buffer).written;
    },
  });
  const text = emitter.text();
  for (const piece of pieces) text.delta(piece);
  emitter.finish();
  return bytes;
}

function readAll(chunks: readonly Uint8Array[]): number {
  const reader = createEventReader();
  let events = 0;
  const parser = createSseParser({
    onFrame: ({ data }) => {
      events += reader.readText(data).length;
    },
  });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return events;
}
