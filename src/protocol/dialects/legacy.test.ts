import { describe, expect, it } from 'vitest';
import { createVerifier } from '../verify/create-verifier.ts';
import { createEventReader } from './dialects.ts';

const CHUNKS = [
  '{"content":"Hel","finishReason":null,"isComplete":false}',
  '{"content":"lo","finishReason":null,"isComplete":false}',
];

function read(frames: readonly string[]) {
  const reader = createEventReader({ threadId: 't', runId: 'r' });
  return frames.flatMap((frame) => reader.readText(frame));
}

describe('a legacy text stream', () => {
  it.each([
    ['[DONE]', [...CHUNKS, '[DONE]']],
    ['a last chunk', [...CHUNKS, '{"content":"","finishReason":"stop","isComplete":true}']],
    ['both', [...CHUNKS, '{"content":null,"finishReason":"stop","isComplete":true}', '[DONE]']],
  ])('reads a legacy stream that ends with %s as a legal run with one message', (_how, frames) => {
    const events = read(frames);
    const verifier = createVerifier();
    for (const event of events) verifier.check(event);
    verifier.end();
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
  });

  it('reads an empty legacy stream as a run', () => {
    expect(read(['{"content":"","isComplete":true}']).map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
  });

  it('rejects [DONE] at the end of any other stream', () => {
    expect(() => read(['{"type":"RUN_STARTED","threadId":"t","runId":"r"}', '[DONE]'])).toThrow('[DONE]');
  });
});
