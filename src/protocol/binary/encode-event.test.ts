import type { Event } from '@ag-ui/core';
import { HttpAgent } from '@ag-ui/client';
import { EventType } from '@ag-ui/core';
import { describe, expect, it } from 'vitest';
import { AGUI_BINARY_MEDIA_TYPE } from './wire-table.ts';
import { encodeBinaryEvent, encodeBinaryFrame } from './encode-event.ts';

describe('encodeBinaryEvent', () => {
  const start = { type: 'TEXT_MESSAGE_START', messageId: 'm' };
  const snapshot = (message: object): object => ({ type: 'MESSAGES_SNAPSHOT', messages: [message] });
  const loop: Record<string, unknown> = {};
  loop.self = loop;

  it.each([
    ['an unknown type', { type: 'NOPE' }, 'there is no type "NOPE"'],
    ['no type', {}, 'there is no type named by nothing'],
    ['a missing field', { type: 'TEXT_MESSAGE_START' }, 'TEXT_MESSAGE_START.messageId is missing'],
    ['a number for a string', { ...start, messageId: 7 }, 'TEXT_MESSAGE_START.messageId is a number'],
    ['a fractional timestamp', { ...start, timestamp: 1.5 }, 'BaseEvent.timestamp is a number'],
    ['a timestamp past 2^53', { ...start, timestamp: 2 ** 53 }, 'where a safe integer belongs'],
    ['an array for metadata', { ...start, metadata: [] }, 'BaseEvent.metadata is an array'],
    [
      'text for a flag',
      { type: 'ACTIVITY_SNAPSHOT', messageId: 'm', activityType: 'a', content: {}, replace: 'no' },
      'ACTIVITY_SNAPSHOT.replace is a string',
    ],
    ['an object for a list', { type: 'STATE_DELTA', delta: {} }, 'STATE_DELTA.delta is an object'],
    [
      'an unknown patch operation',
      { type: 'STATE_DELTA', delta: [{ op: 'ADD', path: '' }] },
      'no patch operation "ADD"',
    ],
    [
      'an outcome without a type',
      { type: 'SUBAGENT_FINISHED', subagentRunId: 's', outcome: 'success' },
      'the outcome has no type',
    ],
    [
      'a retired content part',
      snapshot({ id: 'm', role: 'user', content: [{ type: 'binary' }] }),
      'there is no type "binary"',
    ],
    [
      'an activity of text',
      snapshot({ id: 'm', role: 'activity', activityType: 'a', content: 'x' }),
      'Message.activityContent is a string',
    ],
    ['a big integer', { type: 'CUSTOM', name: 'c', value: { a: [1n] } }, 'a bigint is not JSON'],
    ['a function', { type: 'CUSTOM', name: 'c', value: () => 1 }, 'a function is not JSON'],
    [
      'a value that contains itself',
      { type: 'CUSTOM', name: 'c', value: loop },
      'nested deeper than 100 levels',
    ],
  ])('throws INPUT_INVALID for %s', (_name, event, message) => {
    expect(() => encodeBinaryEvent(event as unknown as Event)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

describe('encodeBinaryFrame', () => {
  it('writes a frame that the official client reads', async () => {
    const interrupt = {
      id: 'i1',
      reason: 'tool_call',
      toolCallId: 'c1',
      responseSchema: { type: 'object', properties: { approved: { type: 'boolean' } } },
    };
    const frames = [
      { type: EventType.RUN_STARTED, threadId: 't1', runId: 'r1', protocolVersion: '1.0' },
      { type: EventType.STATE_SNAPSHOT, snapshot: { orders: [{ total: 12.5 }] } },
      { type: EventType.TEXT_MESSAGE_START, messageId: 'm1', role: 'assistant' },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm1', delta: 'Shall I? 🙂' },
      { type: EventType.TEXT_MESSAGE_END, messageId: 'm1' },
      {
        type: EventType.RUN_FINISHED,
        threadId: 't1',
        runId: 'r1',
        outcome: { type: 'interrupt', interrupts: [interrupt] },
      },
    ].map((event) => encodeBinaryFrame(event as Event));
    const agent = new HttpAgent({
      url: 'http://agent.test',
      threadId: 't1',
      fetch: () =>
        Promise.resolve(
          new Response(new Blob(frames as BlobPart[]), {
            headers: { 'content-type': AGUI_BINARY_MEDIA_TYPE },
          }),
        ),
    });

    await agent.runAgent({ runId: 'r1' });

    expect(agent.messages).toEqual([{ id: 'm1', role: 'assistant', content: 'Shall I? 🙂' }]);
    expect(agent.state).toEqual({ orders: [{ total: 12.5 }] });
    expect(agent.pendingInterrupts).toEqual([interrupt]);
  });
});
