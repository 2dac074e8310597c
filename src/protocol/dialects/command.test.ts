import { EventType } from '@ag-ui/core';
import { describe, expect, it } from 'vitest';
import { createEventReader, createEventWriter } from './dialects.ts';

const STARTED = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
const FINISHED = { type: 'RUN_FINISHED', threadId: 't', runId: 'r' };

describe('the command dialect', () => {
  it('announces the first interrupt as a message and a custom event, and raises only that one', () => {
    const interrupts = [
      {
        id: 'a',
        reason: 'tool_call',
        message: 'May pay go ahead?',
        metadata: { functionName: 'pay', functionArguments: { amount: 1 } },
      },
      { id: 'b', reason: 'input_required', message: 'Why?' },
    ];
    const messageId = 'on_interrupt:a';
    const event = {
      type: EventType.RUN_FINISHED,
      threadId: 't',
      runId: 'r',
      outcome: { type: 'interrupt' as const, interrupts },
    } as const;
    expect(createEventWriter('command')(event)).toEqual([
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'May pay go ahead?' },
      { type: 'TEXT_MESSAGE_END', messageId },
      {
        type: 'CUSTOM',
        name: 'on_interrupt',
        value: { functionName: 'pay', functionArguments: { amount: 1 }, interruptId: 'a' },
        metadata: { interruptId: 'a' },
      },
      { ...event, outcome: { type: 'interrupt', interrupts: interrupts.slice(0, 1) } },
    ]);
  });

  it('reads the id from the value when it is nowhere else', () => {
    const reader = createEventReader();
    const custom = { type: 'CUSTOM', name: 'on_interrupt', value: { interrupt: 'Sure?', interruptId: 'q' } };
    const [, end] = [STARTED, custom, FINISHED].flatMap((event) => reader.read(event));
    expect(end).toMatchObject({
      outcome: { interrupts: [{ id: 'q', metadata: { payload: { interrupt: 'Sure?' } } }] },
    });
  });

  it('reads an interrupt that a server only announces, with a JSON value or its text', () => {
    for (const value of [{ interrupt: 'Sure?' }, '{"interrupt":"Sure?"}']) {
      const reader = createEventReader();
      const events = [STARTED, { type: 'CUSTOM', name: 'on_interrupt', value }, FINISHED].flatMap((event) =>
        reader.read(event),
      );
      expect(events).toEqual([
        STARTED,
        {
          ...FINISHED,
          outcome: {
            type: 'interrupt',
            interrupts: [{ id: '', reason: 'input_required', metadata: { payload: { interrupt: 'Sure?' } } }],
          },
        },
      ]);
    }
  });

  it('keeps text that only looks like JSON, and gives an id to all interrupts but one', () => {
    const reader = createEventReader();
    const custom = (value: unknown) => ({ type: 'CUSTOM', name: 'on_interrupt', value });
    const [, end] = [STARTED, custom('{oops'), custom(2), FINISHED].flatMap((event) => reader.read(event));
    expect(end).toMatchObject({
      outcome: {
        interrupts: [
          { id: '', metadata: { payload: '{oops' } },
          { id: 'interrupt-2', metadata: { payload: 2 } },
        ],
      },
    });
  });

  it('returns the custom event when the run ended without an interrupt', () => {
    const custom = { type: 'CUSTOM', name: 'on_interrupt', value: 1 };
    for (const end of [
      { ...FINISHED, outcome: { type: 'success' } },
      { type: 'RUN_ERROR', message: 'no' },
    ]) {
      const reader = createEventReader();
      expect([STARTED, custom, end].flatMap((event) => reader.read(event))).toEqual([STARTED, custom, end]);
    }
  });
});
