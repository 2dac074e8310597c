import { describe, expect, it } from 'vitest';
import type { AgentStreamEvent, Interrupt, Emitter } from '../protocol/index.ts';
import { createEmitter, EventType } from '../protocol/index.ts';
import type { ChatContent, ContentUpdate } from './index.ts';
import { createContentReader, isFunctionApprovalRequest } from './index.ts';

const clock = { now: () => 1_763_000_000_000 };

function record(run: (emitter: Emitter) => void): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  run(createEmitter({ threadId: 'thread-1', runId: 'run-1', write: (event) => events.push(event) }));
  return events;
}

function readAll(events: readonly AgentStreamEvent[]): ContentUpdate[] {
  const reader = createContentReader({ clock });
  return events.map((event) => reader.read(event));
}

const contentsOf = (events: readonly AgentStreamEvent[]): ChatContent[] =>
  readAll(events).flatMap(({ contents }) => contents);

describe('createContentReader', () => {
  it('returns one update per event with the thread, the run, a time and the event itself', () => {
    const events = record((emitter) => {
      emitter.text({ messageId: 'm' }).delta('Hello');
      emitter.step('plan');
      emitter.finish();
    });
    const updates = readAll(events);
    expect(updates).toHaveLength(events.length);
    updates.forEach((update, index) => {
      expect(update).toMatchObject({
        conversationId: 'thread-1',
        responseId: 'run-1',
        createdAt: clock.now(),
      });
      expect(update.rawRepresentation).toBe(events[index]);
    });
    const said = updates.find(({ contents }) => contents.length > 0);
    expect(said).toMatchObject({ messageId: 'm', contents: [{ type: 'text', text: 'Hello' }] });
    expect(said?.contents[0]?.rawRepresentation).toBe(said?.rawRepresentation);
  });

  it('uses the timestamp of an event that has one', () => {
    const event: AgentStreamEvent = { type: EventType.RUN_ERROR, message: 'No.', timestamp: 7 };
    const update = createContentReader().read(event);
    expect(update).toEqual({
      createdAt: 7,
      contents: [{ type: 'error', message: 'No.', rawRepresentation: event }],
      rawRepresentation: event,
    });
  });

  it('returns a call when it is complete, then its result', () => {
    const events = record((emitter) => {
      const call = emitter.toolCall('get_weather', { toolCallId: 'call-abc' });
      call.delta('{"location":');
      call.delta('"Seattle"}');
      call.end();
      emitter.toolResult('call-abc', '{"celsius":7}');
      emitter.toolCall('now', { toolCallId: 'c2' }).end();
      emitter.finish();
    });
    expect(contentsOf(events)).toMatchObject([
      {
        type: 'functionCall',
        callId: 'call-abc',
        name: 'get_weather',
        arguments: { location: 'Seattle' },
      },
      { type: 'functionResult', callId: 'call-abc', result: { celsius: 7 } },
      { type: 'functionCall', callId: 'c2', name: 'now' },
    ]);
  });

  it('returns reasoning, readable or encrypted', () => {
    const events = record((emitter) => {
      const reasoning = emitter.reasoning({ messageId: 'm' });
      reasoning.delta('hm');
      reasoning.end();
      emitter.encryptedValue('message', 'm', 'sealed');
      emitter.finish();
    });
    expect(contentsOf(events)).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'reasoning', text: '', protectedData: 'sealed' },
    ]);
  });

  it('returns an error with its code', () => {
    const events = record((emitter) => emitter.fail('It failed.', { code: 'MODEL_FAILED' }));
    expect(contentsOf(events)).toMatchObject([
      { type: 'error', message: 'It failed.', code: 'MODEL_FAILED' },
    ]);
  });

  it('ends an interrupted run with its requests and without an error', () => {
    const approval: Interrupt = {
      id: 'call-abc',
      reason: 'tool_call',
      metadata: { payload: { functionName: 'get_weather', functionArguments: { location: 'Seattle' } } },
    };
    const input: Interrupt = {
      id: 'input-456',
      reason: 'input_required',
      metadata: { payload: { prompt: 'Please provide your email address', inputType: 'email' } },
    };
    const events = record((emitter) => emitter.interrupt([approval, input]));
    const update = readAll(events).at(-1);
    expect(update).toMatchObject({ conversationId: 'thread-1', responseId: 'run-1' });
    expect(update?.rawRepresentation).toBe(events.at(-1));
    expect(update?.contents).toMatchObject([
      {
        type: 'functionApprovalRequest',
        id: 'call-abc',
        functionCall: { callId: 'call-abc', name: 'get_weather', arguments: { location: 'Seattle' } },
      },
      { type: 'userInputRequest', id: 'input-456', message: 'Please provide your email address' },
    ]);
    expect(update?.contents[0]?.rawRepresentation).toBe(approval);
    expect(update?.contents[1]?.rawRepresentation).toBe(input);
  });

  it.each<[string, (emitter: Emitter) => void]>([
    [
      'streamed before',
      (emitter) => {
        const call = emitter.toolCall('pay', { toolCallId: 'c' });
        call.delta('{"cents":1}');
        call.end();
      },
    ],
    [
      'shown in the snapshot',
      (emitter) =>
        emitter.messages([
          {
            id: 'm',
            role: 'assistant',
            toolCalls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{"cents":1}' } }],
          },
        ]),
    ],
  ])('completes an approval from the call that was %s', (_where, show) => {
    const events = record((emitter) => {
      show(emitter);
      emitter.interrupt([{ id: 'i', reason: 'tool_call', toolCallId: 'c' }]);
    });
    const request = contentsOf(events).find(isFunctionApprovalRequest);
    expect(request).toMatchObject({
      id: 'i',
      functionCall: { callId: 'c', name: 'pay', arguments: { cents: 1 } },
    });
  });

  it('calls findCall for calls of earlier runs, and newId for interrupts without an id', () => {
    const reader = createContentReader({
      newId: () => 'made',
      findCall: () => ({ functionName: 'pay', functionArguments: {} }),
    });
    const events = record((emitter) =>
      emitter.interrupt([
        { id: 'i', reason: 'tool_call', toolCallId: 'earlier' },
        { id: '', reason: 'x' },
      ]),
    );
    expect(events.flatMap((event) => reader.read(event).contents)).toMatchObject([
      { type: 'functionApprovalRequest', functionCall: { callId: 'earlier', name: 'pay' } },
      { type: 'userInputRequest', id: 'made' },
    ]);
  });
});
