import { EventType } from '@ag-ui/core';
import { describe, expect, it } from 'vitest';
import type { AgentStreamEvent } from '../events.ts';
import { createEventWriter } from './dialects.ts';

const END = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' } as const;
const INTERRUPT = { type: 'interrupt' as const, interrupts: [{ id: 'i', reason: 'input_required' }] };
const IMAGE = { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } } as const;
const FILE = { type: 'document', source: { type: 'file', value: 'f-1' } } as const;

function write(event: AgentStreamEvent, dialect: '1.0' | 'draft' | 'command' = '1.0'): readonly unknown[] {
  return createEventWriter(dialect, { reader: '0.0' })(event);
}

describe('createEventWriter for a client before 1.0', () => {
  it.each([
    [{ ...END, outcome: { type: 'success' as const, pendingToolCallIds: ['c'] } }, { type: 'success' }],
    [{ ...END, outcome: { type: 'cancelled' as const } }, undefined],
    [{ ...END, outcome: INTERRUPT }, INTERRUPT],
    [END, undefined],
  ])('writes the end %j with the outcome %j', (event, outcome) => {
    expect(write(event)).toEqual([outcome === undefined ? END : { ...END, outcome }]);
  });

  it('writes on_interrupt and no outcome in command', () => {
    const events = write({ ...END, outcome: INTERRUPT }, 'command') as readonly { readonly type: string }[];
    expect(events.map(({ type }) => type)).toContain('CUSTOM');
    expect(events.at(-1)).toEqual(END);
  });

  it.each<AgentStreamEvent>([
    { type: EventType.SUBAGENT_STARTED, subagentRunId: 's', name: 'n' },
    { type: EventType.SUBAGENT_FINISHED, subagentRunId: 's' },
    { type: EventType.SUBAGENT_ERROR, subagentRunId: 's', message: 'no' },
    { type: EventType.STEP_STARTED, stepName: 'plan', subagentRunId: 's' },
    { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta: '' },
    { type: EventType.REASONING_MESSAGE_CONTENT, messageId: 'm', delta: '' },
  ])('leaves out $type', (event) => {
    expect(write(event)).toEqual([]);
    expect(createEventWriter('1.0')(event)).toEqual([event]);
  });

  it('writes content parts of tools as text, and those of users in the form that the client knows', () => {
    const content = [{ type: 'text' as const, text: 'seen' }, IMAGE];
    const result = { type: EventType.TOOL_CALL_RESULT, messageId: 'm', toolCallId: 'c', content } as const;
    expect(write(result)).toEqual([{ ...result, content: 'seen\n[image]' }]);
    const messages: Extract<AgentStreamEvent, { type: EventType.MESSAGES_SNAPSHOT }>['messages'] = [
      { id: '1', role: 'user', content: [IMAGE, FILE] },
      { id: '2', role: 'tool', toolCallId: 'c', content },
    ];
    const tool = { id: '2', role: 'tool', toolCallId: 'c', content: 'seen\n[image]' };
    const input = { threadId: 't', runId: 'r', messages, tools: [], context: [] };
    for (const event of [
      { type: EventType.MESSAGES_SNAPSHOT, messages } as const,
      { type: EventType.RUN_STARTED, threadId: 't', runId: 'r', input } as const,
    ]) {
      const [resume] = write(event);
      expect(resume).toMatchObject(
        'messages' in event
          ? { messages: [{ content: [IMAGE] }, tool] }
          : { input: { messages: [{ content: [IMAGE] }, tool] } },
      );
    }
    expect(write({ type: EventType.MESSAGES_SNAPSHOT, messages }, 'command')).toMatchObject([
      {
        messages: [
          {
            content: [
              { type: 'binary', mimeType: 'image/png', data: 'aGk=' },
              { type: 'binary', mimeType: 'application/octet-stream', id: 'f-1' },
            ],
          },
          tool,
        ],
      },
    ]);
  });

  it('leaves out events and messages that the binary form before 1.0 does not have', () => {
    const writer = createEventWriter('1.0', { reader: '0.0', form: 'binary' });
    const content = { hits: 1 };
    for (const event of [
      { type: EventType.TOOL_CALL_RESULT, messageId: 'm', toolCallId: 'c', content: 'x' },
      { type: EventType.REASONING_START, messageId: 'm' },
      { type: EventType.ACTIVITY_SNAPSHOT, messageId: 'm', activityType: 'search', content },
    ] as const)
      expect([writer(event), write(event)]).toEqual([[], [event]]);
    const activity = { id: 'a', role: 'activity' as const, activityType: 'search', content };
    expect(writer({ type: EventType.MESSAGES_SNAPSHOT, messages: [activity] })).toMatchObject([
      { messages: [] },
    ]);
    const start = { type: EventType.RUN_STARTED, threadId: 't', runId: 'r' } as const;
    const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };
    expect(writer({ ...start, input })).toEqual([start]);
  });

  it('changes nothing in the draft', () => {
    const event = { ...END, outcome: { type: 'success' as const, pendingToolCallIds: ['c'] } };
    expect(write(event, 'draft')).toEqual(createEventWriter('draft')(event));
  });
});
