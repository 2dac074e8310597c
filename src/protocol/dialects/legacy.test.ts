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

describe('THINKING events', () => {
  const read = (...events: object[]) => {
    const reader = createEventReader();
    const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
    return [started, ...events].flatMap((event) => reader.read(event)).slice(1);
  };

  it('are read as reasoning, with one id for the span and one for each message', () => {
    const message = [
      { type: 'THINKING_TEXT_MESSAGE_START' },
      { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'Let me see.' },
      { type: 'THINKING_TEXT_MESSAGE_END' },
    ];
    const events = read({ type: 'THINKING_START', title: 'Working' }, ...message, ...message, {
      type: 'THINKING_END',
      timestamp: 5,
    });
    const [span, first, , , second] = events.map((event) => ('messageId' in event ? event.messageId : ''));
    expect(new Set([span, first, second]).size).toBe(3);
    expect(events).toEqual([
      { type: 'REASONING_START', messageId: span, metadata: { title: 'Working' } },
      ...[first, second].flatMap((messageId) => [
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: 'Let me see.' },
        { type: 'REASONING_MESSAGE_END', messageId },
      ]),
      { type: 'REASONING_END', messageId: span, timestamp: 5 },
    ]);
  });

  it('are read as reasoning in snake case', () => {
    expect(read({ type: 'thinking_start' }, { type: 'thinking_end' }).map(({ type }) => type)).toEqual([
      'REASONING_START',
      'REASONING_END',
    ]);
  });
});
