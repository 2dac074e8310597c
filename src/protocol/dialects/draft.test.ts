import { EventType } from '@ag-ui/core';
import { describe, expect, it } from 'vitest';
import type { AgentStreamEvent } from '../events.ts';
import { interruptsOf, isRunFinished, outcomeOf } from '../index.ts';
import { createEventReader, createEventWriter, decodeInput } from './dialects.ts';

/** The examples of the draft on interrupt-aware runs and of the .NET plan, unchanged. */
const MINIMAL = {
  type: 'RUN_FINISHED',
  threadId: 't1',
  runId: 'r1',
  outcome: 'interrupt',
  interrupt: {
    id: 'int-abc123',
    reason: 'human_approval',
    payload: { proposal: { tool: 'sendEmail', args: { to: 'a@b.com', subject: 'Hi', body: '…' } } },
  },
};
const MINIMAL_ANSWER = {
  threadId: 't1',
  runId: 'r2',
  resume: { interruptId: 'int-abc123', payload: { approved: true } },
};
const COMPLEX = {
  type: 'RUN_FINISHED',
  threadId: 'thread-456',
  runId: 'run-789',
  outcome: 'interrupt',
  interrupt: {
    id: 'approval-001',
    reason: 'database_modification',
    payload: {
      action: 'DELETE',
      table: 'users',
      affectedRows: 42,
      query: "DELETE FROM users WHERE last_login < '2023-01-01'",
      rollbackPlan: 'Restore from backup snapshot-2025-01-23',
      riskLevel: 'high',
    },
  },
};
const COMPLEX_ANSWER = {
  threadId: 'thread-456',
  runId: 'run-790',
  resume: {
    interruptId: 'approval-001',
    payload: { approved: true, modifications: { batchSize: 10, dryRun: true } },
  },
};

function read(wire: object): AgentStreamEvent {
  const [event, ...rest] = createEventReader().read(wire);
  expect(rest).toEqual([]);
  return event!;
}

function interruptRead(wire: object) {
  const event = read({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', ...wire });
  if (!isRunFinished(event)) throw new Error('not the end of a run');
  return { outcome: outcomeOf(event), interrupts: interruptsOf(event), result: event.result as unknown };
}

describe('the draft dialect', () => {
  it.each([
    ['minimal', MINIMAL],
    ['complex', COMPLEX],
  ])('reads the %s interrupt of the draft and writes it back unchanged', (_name, example) => {
    const event = read(example);
    expect(event).toEqual({
      type: 'RUN_FINISHED',
      threadId: example.threadId,
      runId: example.runId,
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: example.interrupt.id,
            reason: example.interrupt.reason,
            metadata: { payload: example.interrupt.payload },
          },
        ],
      },
    });
    expect(createEventWriter('draft')(event)).toEqual([example]);
  });

  it.each([
    ['minimal', MINIMAL_ANSWER],
    ['complex', COMPLEX_ANSWER],
  ])('reads the %s answer of the draft without messages and status', (_name, example) => {
    expect(decodeInput(example)).toEqual({
      dialect: 'draft',
      input: {
        threadId: example.threadId,
        runId: example.runId,
        messages: [],
        tools: [],
        context: [],
        resume: [{ ...example.resume, status: 'resolved' }],
      },
    });
  });

  it.each([
    [
      {
        id: 'call-abc',
        payload: { functionName: 'get_weather', functionArguments: { location: 'Seattle' } },
      },
      'tool_call',
    ],
    [
      { id: 'input-456', payload: { prompt: 'Please provide your email address', inputType: 'email' } },
      'input_required',
    ],
  ])('reads the .NET plan’s interrupt %j with the reason %s', (interrupt, reason) => {
    expect(interruptRead({ outcome: 'interrupt', interrupt }).interrupts).toEqual([
      { id: interrupt.id, reason, metadata: { payload: interrupt.payload } },
    ]);
  });
});

describe('RUN_FINISHED of the draft', () => {
  it('reads the outcome of a draft run without case', () => {
    expect(interruptRead({ outcome: 'INTERRUPT', interrupt: { id: 'x' } }).outcome).toBe('interrupt');
    expect(interruptRead({ outcome: 'Success', result: 1 })).toEqual({
      outcome: 'success',
      interrupts: [],
      result: 1,
    });
  });

  it('reads a draft run without an outcome as interrupted if it has an interrupt, else as a success', () => {
    expect(interruptRead({ interrupt: { id: 'x', reason: 'policy_hold' } })).toEqual({
      outcome: 'interrupt',
      interrupts: [{ id: 'x', reason: 'policy_hold' }],
      result: undefined,
    });
    expect(interruptRead({ outcome: null, interrupt: {} }).outcome).toBe('interrupt');
    expect(interruptRead({ result: { done: true } })).toEqual({
      outcome: 'success',
      interrupts: [],
      result: { done: true },
    });
    expect(interruptRead({}).outcome).toBe('success');
  });

  it('reads the draft outcome interrupt without an interrupt as an interrupt without an id', () => {
    expect(interruptRead({ outcome: 'interrupt' }).interrupts).toEqual([
      { id: '', reason: 'input_required' },
    ]);
    expect(interruptRead({ outcome: 'interrupt', interrupt: null }).outcome).toBe('interrupt');
  });

  it('rejects a draft run with an unknown outcome', () => {
    expect(() => interruptRead({ outcome: 'paused' })).toThrow('/outcome');
    expect(() => interruptRead({ outcome: 7, interrupt: {} })).toThrow('/outcome');
    expect(() => interruptRead({ outcome: 'interrupt', interrupt: [1] })).toThrow('/interrupt');
  });

  it('keeps any JSON as the payload of a draft interrupt, and its unknown members', () => {
    for (const payload of [0, false, '', null, [], 'text']) {
      const [interrupt] = interruptRead({
        outcome: 'interrupt',
        interrupt: { id: 'x', payload, note: 1 },
      }).interrupts;
      expect(interrupt).toEqual({ id: 'x', reason: 'input_required', note: 1, metadata: { payload } });
    }
  });

  it('writes a draft interrupt without undefined and null members, and without an empty id', () => {
    const finished = { type: EventType.RUN_FINISHED, threadId: 't', runId: 'r' } as const;
    const write = createEventWriter('draft');
    const interrupts = [{ id: '', reason: 'upload_required' }];
    expect(JSON.stringify(write({ ...finished, outcome: { type: 'interrupt', interrupts } }))).toBe(
      '[{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":"interrupt","interrupt":{"reason":"upload_required"}}]',
    );
    expect(JSON.stringify(write({ ...finished, result: 7, outcome: { type: 'success' } }))).toBe(
      '[{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":7,"outcome":"success"}]',
    );
    expect(JSON.stringify(write(finished))).toBe('[{"type":"RUN_FINISHED","threadId":"t","runId":"r"}]');
  });

  it('writes the function of an approval into its draft payload, from the stream or the snapshot', () => {
    const finished: AgentStreamEvent = {
      type: EventType.RUN_FINISHED,
      threadId: 't',
      runId: 'r',
      outcome: {
        type: 'interrupt',
        interrupts: [{ id: 'i', reason: 'tool_call', toolCallId: 'call-abc', message: 'May I?' }],
      },
    };
    const expected = { functionName: 'get_weather', functionArguments: { location: 'Seattle' } };
    const streamed = createEventWriter('draft');
    streamed({ type: EventType.TOOL_CALL_START, toolCallId: 'call-abc', toolCallName: 'get_weather' });
    streamed({ type: EventType.TOOL_CALL_ARGS, toolCallId: 'call-abc', delta: '{"location":' });
    streamed({ type: EventType.TOOL_CALL_ARGS, toolCallId: 'call-abc', delta: '"Seattle"}' });
    expect(streamed(finished)[0]).toMatchObject({ interrupt: { id: 'i', payload: expected } });

    const restored = createEventWriter('draft');
    const call = { name: 'get_weather', arguments: '{"location":"Seattle"}' };
    restored({
      type: EventType.MESSAGES_SNAPSHOT,
      messages: [
        { id: 'm', role: 'assistant', toolCalls: [{ id: 'call-abc', type: 'function', function: call }] },
      ],
    });
    expect(restored(finished)[0]).toMatchObject({ interrupt: { id: 'i', payload: expected } });
  });
});

describe('an answer in the draft dialect', () => {
  const answer = (resume: object) => decodeInput({ threadId: 't', runId: 'r', resume }).input.resume;

  it('reads a draft answer without an id, an empty one and a cancelled one', () => {
    expect(answer({ payload: 1 })).toEqual([{ interruptId: '', status: 'resolved', payload: 1 }]);
    expect(answer({})).toEqual([{ interruptId: '', status: 'resolved' }]);
    expect(answer({ interruptId: 'x', status: 'cancelled' })).toEqual([
      { interruptId: 'x', status: 'cancelled' },
    ]);
  });

  it('rejects a draft answer that names another thread', () => {
    expect(answer({ threadId: 't', interruptId: 'x', payload: [] })).toEqual([
      { interruptId: 'x', status: 'resolved', payload: [] },
    ]);
    expect(() => answer({ threadId: 'other', interruptId: 'x' })).toThrow('/resume/threadId');
  });

  it('rejects an invalid draft answer with its pointer', () => {
    expect(() => answer({ interruptId: 7 })).toThrow('/resume/interruptId');
    expect(() => answer({ status: 'later' })).toThrow('/resume/status');
    expect(() => decodeInput({ threadId: 't', runId: 'r', messages: [], resume: 'yes' })).toThrow('/resume');
  });

  it('reads a draft input without an answer unchanged', () => {
    const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };
    expect(decodeInput(input)).toEqual({ input, dialect: '1.0' });
    expect(decodeInput(input, 'draft')).toEqual({ input, dialect: 'draft' });
  });
});
