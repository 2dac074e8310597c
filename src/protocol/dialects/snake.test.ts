import { EventType } from '@ag-ui/core';
import { describe, expect, it } from 'vitest';
import { isApprovalRequested } from '../index.ts';
import { createEventReader, createEventWriter, decodeInput } from './dialects.ts';

/** The six core events of the two-tier plan, with only the required members. */
const TIER_ONE = [
  { type: 'run_started', run_id: 'r', timestamp: 1 },
  { type: 'text_message_start', message_id: 'm', role: 'assistant', timestamp: 1 },
  { type: 'text_message_content', message_id: 'm', delta: 'Hello' },
  { type: 'text_message_content', message_id: 'm' },
  { type: 'text_message_end', message_id: 'm' },
  { type: 'run_finished' },
];

describe('the snake dialect', () => {
  it('reads a tier 1 stream and fills in missing members', () => {
    const reader = createEventReader({ threadId: 'thread' });
    expect(TIER_ONE.flatMap((event) => reader.read(event))).toEqual([
      { type: 'RUN_STARTED', threadId: 'thread', runId: 'r', timestamp: 1 },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant', timestamp: 1 },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: '' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'RUN_FINISHED', threadId: 'thread', runId: 'r' },
    ]);
    expect(createEventReader().read({ type: 'run_error' })).toEqual([
      { type: 'RUN_ERROR', message: 'The run failed.' },
    ]);
  });

  it('reads the tool, state and message events of the two-tier plan', () => {
    const reader = createEventReader();
    expect(
      [
        { type: 'tool_call_start', tool_call_id: 'c', tool_call_name: 'search', parent_message_id: 'm' },
        { type: 'tool_call_args', tool_call_id: 'c', delta: '{"q":1}' },
        { type: 'tool_call_end', tool_call_id: 'c' },
        { type: 'state_snapshot', snapshot: { keep_this: 1 } },
        { type: 'state_delta', delta: [{ op: 'replace', path: '/keep_this', value: { tool_call_id: 2 } }] },
        {
          type: 'messages_snapshot',
          messages: [
            { role: 'user', content: 'hi' },
            {
              role: 'assistant',
              id: 'a',
              tool_calls: [{ id: 'c', function: { name: 'search', arguments: '{}' } }],
            },
            { role: 'tool', id: 'r', tool_call_id: 'c', content: 'found' },
          ],
        },
      ].flatMap((event) => reader.read(event)),
    ).toMatchInlineSnapshot(`
      [
        {
          "parentMessageId": "m",
          "toolCallId": "c",
          "toolCallName": "search",
          "type": "TOOL_CALL_START",
        },
        {
          "delta": "{"q":1}",
          "toolCallId": "c",
          "type": "TOOL_CALL_ARGS",
        },
        {
          "toolCallId": "c",
          "type": "TOOL_CALL_END",
        },
        {
          "snapshot": {
            "keep_this": 1,
          },
          "type": "STATE_SNAPSHOT",
        },
        {
          "delta": [
            {
              "op": "replace",
              "path": "/keep_this",
              "value": {
                "tool_call_id": 2,
              },
            },
          ],
          "type": "STATE_DELTA",
        },
        {
          "messages": [
            {
              "content": "hi",
              "id": "message-1",
              "role": "user",
            },
            {
              "id": "a",
              "role": "assistant",
              "toolCalls": [
                {
                  "function": {
                    "arguments": "{}",
                    "name": "search",
                  },
                  "id": "c",
                  "type": "function",
                },
              ],
            },
            {
              "content": "found",
              "id": "r",
              "role": "tool",
              "toolCallId": "c",
            },
          ],
          "type": "MESSAGES_SNAPSHOT",
        },
      ]
    `);
  });

  it('announces each tool approval before the end of the run', () => {
    const write = createEventWriter('snake');
    const wire = write({
      type: EventType.RUN_FINISHED,
      threadId: 't',
      runId: 'r',
      timestamp: 5,
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'i1',
            reason: 'tool_call',
            message: 'Publish "Home"',
            toolCallId: 'c',
            metadata: { functionName: 'publish', functionArguments: { pageId: 7 } },
          },
          { id: 'i2', reason: 'input_required', responseSchema: { type: 'string' } },
        ],
      },
    });
    expect(wire.map(({ type }) => type)).toEqual(['approval_requested', 'run_finished']);
    expect(wire[0]).toEqual({
      type: 'approval_requested',
      approval_id: 'i1',
      tool_id: 'publish',
      tool_name: 'publish',
      parameters: { pageId: 7 },
      parameters_summary: 'Publish "Home"',
      timestamp: 5,
    });
    expect(wire[1]).toMatchObject({
      run_id: 'r',
      outcome: { type: 'interrupt', interrupts: [{ id: 'i1', tool_call_id: 'c' }, { response_schema: {} }] },
    });
    expect(wire.filter(({ type }) => isApprovalRequested({ type }))).toHaveLength(1);
  });

  it('reads an approval from a server whose run_finished does not mention it', () => {
    const reader = createEventReader();
    const events = [
      { type: 'run_started', run_id: 'r', thread_id: 't' },
      {
        type: 'approval_requested',
        approval_id: 'a1',
        tool_id: 'tools.publish',
        tool_name: 'publish',
        parameters: { pageId: 7 },
        parameters_summary: 'Publish it',
      },
      { type: 'run_finished', run_id: 'r' },
    ].flatMap((event) => reader.read(event));
    expect(events[1]).toEqual({
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'r',
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'a1',
            reason: 'tool_call',
            message: 'Publish it',
            metadata: { functionName: 'publish', functionArguments: { pageId: 7 }, toolId: 'tools.publish' },
          },
        ],
      },
    });
  });

  it('reads and writes decisions as events of their own', () => {
    const wire = { type: 'approval_decided', approval_id: 'a1', decision: 'rejected', timestamp: 7 };
    const [event] = createEventReader().read(wire);
    expect(event).toEqual({
      type: 'CUSTOM',
      name: 'approval_decided',
      value: { approval_id: 'a1', decision: 'rejected' },
      timestamp: 7,
    });
    expect(createEventWriter('snake')(event!)).toEqual([wire]);
  });

  it('writes the decisions of a resumed run after its start, and reads them once', () => {
    const resume = [
      { interruptId: 'a', status: 'resolved' as const, payload: { approved: true } },
      { interruptId: 'b', status: 'resolved' as const, payload: { approved: false } },
      { interruptId: 'c', status: 'cancelled' as const },
      { interruptId: 'd', status: 'resolved' as const, payload: 'a text' },
    ];
    const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], resume };
    const started = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r', timestamp: 5, input } as const;
    const wire = createEventWriter('snake')(started);
    expect(wire.slice(1)).toEqual([
      { type: 'approval_decided', approval_id: 'a', decision: 'approved', timestamp: 5 },
      { type: 'approval_decided', approval_id: 'b', decision: 'rejected', timestamp: 5 },
      { type: 'approval_decided', approval_id: 'c', decision: 'cancelled', timestamp: 5 },
    ]);
    const reader = createEventReader();
    expect(wire.flatMap((one) => reader.read(one))).toEqual([started]);
  });

  it('gives every event a timestamp, and keeps the one that an event has', () => {
    const write = createEventWriter('snake', { now: () => 9 });
    const step = { type: EventType.STEP_STARTED, stepName: 's' } as const;
    expect(write(step)).toEqual([{ type: 'step_started', step_name: 's', timestamp: 9 }]);
    expect(write({ ...step, timestamp: 3 })[0]?.timestamp).toBe(3);
  });

  it('rejects an approval without an id or a tool', () => {
    expect(() => createEventReader().read({ type: 'approval_requested', tool_name: 'x' })).toThrow(
      '/approval_id',
    );
    expect(() => createEventReader().read({ type: 'approval_requested', approval_id: 'x' })).toThrow(
      '/tool_name',
    );
  });

  it.each([
    [[{ interrupt_id: 'i', status: 'resolved', payload: { keep_case: 1 } }], 'of 1.0'],
    [{ interrupt_id: 'i', payload: { keep_case: 1 }, thread_id: 't' }, 'of the draft'],
  ])('reads an answer %j %s', (resume, _form) => {
    expect(decodeInput({ thread_id: 't', run_id: 'r', forwarded_props: { a_b: 1 }, resume })).toEqual({
      dialect: 'snake',
      input: {
        threadId: 't',
        runId: 'r',
        messages: [],
        tools: [],
        context: [],
        forwardedProps: { a_b: 1 },
        resume: [{ interruptId: 'i', status: 'resolved', payload: { keep_case: 1 } }],
      },
    });
  });
});
