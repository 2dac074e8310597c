import { HttpAgent } from '@ag-ui/client';
import type { Interrupt } from '@ag-ui/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../../core/index.ts';
import { createApplier } from '../apply/create-applier.ts';
import type { AgentStreamEvent } from '../events.ts';
import { createSseEncoder } from '../sse/encode-sse.ts';
import { createVerifier } from '../verify/create-verifier.ts';
import type { Emitter } from './create-emitter.ts';
import type { OpenStream, StreamEmitter, SubagentEmitter } from './stream-emitter.ts';
import { createEmitter } from './create-emitter.ts';

function record(run: (emitter: Emitter) => void): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  let next = 0;
  const newId = () => `id-${(next += 1)}`;
  run(createEmitter({ threadId: 't', runId: 'r', newId, write: (event) => events.push(event) }));
  return events;
}

const types = (events: readonly AgentStreamEvent[]) => events.map(({ type }) => type);

/** One call of an emitter; the numbers choose among its open streams. */
type Command = readonly [what: string, pick: number, text: string];

const ACTIONS = [
  'text reasoning toolCall delta delta delta end step endStep toolResult state stateDelta activity activityDelta',
  'custom raw messages encrypted subagent finishSubagent failSubagent suspendSubagent sameId',
].flatMap((line) => line.split(' '));

const command: fc.Arbitrary<Command> = fc.tuple(
  fc.constantFrom(...ACTIONS),
  fc.nat(99),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

const INTERRUPTS: Interrupt[] = [
  { id: 'q1', reason: 'tool_call', message: 'Sure?', responseSchema: { type: 'object' } },
  { id: 'q2', reason: 'input_required', expiresAt: '2099-01-01T00:00:00Z', metadata: { payload: [1] } },
];

/** Runs commands and skips those that the emitter rejects, which must be with INTERNAL. */
function perform(emitter: Emitter, commands: readonly Command[], ending: number): void {
  const open: OpenStream[] = [];
  const steps: { end(): void }[] = [];
  const subagents: SubagentEmitter[] = [];
  for (const [what, pick, text] of commands) {
    const speakers: StreamEmitter[] = [emitter, ...subagents];
    const speaker = speakers[pick % speakers.length]!;
    const stream = open[pick % Math.max(open.length, 1)];
    const subagent = subagents[pick % Math.max(subagents.length, 1)];
    const actions: Record<string, () => unknown> = {
      text: () => open.push(speaker.text()),
      reasoning: () => open.push(speaker.reasoning()),
      toolCall: () => open.push(speaker.toolCall('tool')),
      sameId: () => open.push(speaker.text({ messageId: 'same' })),
      delta: () => stream?.delta(text),
      end: () => stream?.end(),
      step: () => steps.push(speaker.step(`step-${pick % 3}`)),
      endStep: () => steps[pick % Math.max(steps.length, 1)]?.end(),
      toolResult: () => speaker.toolResult(stream?.id ?? 'x', text),
      state: () => speaker.state({ list: [text], n: pick }),
      stateDelta: () => speaker.stateDelta([{ op: 'add', path: '/n', value: text }]),
      activity: () => speaker.activity(`activity-${pick % 2}`, 'PLAN', { text }),
      activityDelta: () =>
        speaker.activityDelta(`activity-${pick % 2}`, 'PLAN', [{ op: 'add', path: '/x', value: 1 }]),
      custom: () => speaker.custom(text, { pick }),
      raw: () => speaker.raw({ text }, 'elsewhere'),
      messages: () => emitter.messages([{ id: 'same', role: 'assistant', content: text }]),
      encrypted: () => speaker.encryptedValue('message', stream?.id ?? 'x', text),
      subagent: () => subagents.push(speaker.subagent({ name: `helper ${pick}` })),
      finishSubagent: () => subagent?.finish({ result: pick }),
      failSubagent: () => subagent?.fail(text, { code: 'TOOL_FAILED' }),
      suspendSubagent: () => subagent?.suspend(['q1']),
    };
    try {
      actions[what]?.();
    } catch (error) {
      if (!HoldpointError.is(error, 'INTERNAL')) throw error;
    }
  }
  const endings = [
    () => emitter.finish({ result: { ok: true }, usage: [{ model: 'm', inputTokens: 1 }] }),
    () => emitter.finish({ pendingToolCallIds: ['c'] }),
    () =>
      emitter.interrupt(INTERRUPTS, {
        state: { n: 1 },
        messages: [{ id: 'same', role: 'user', content: 'x' }],
      }),
    () => emitter.cancel(),
    () => emitter.fail('It failed.', { code: 'MODEL_FAILED' }),
  ];
  endings[ending % endings.length]?.();
}

describe('createEmitter', () => {
  it('writes only streams that the official client reads, with the same messages and state', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), fc.nat(4), async (commands, ending) => {
        const events = record((emitter) => perform(emitter, commands, ending));
        const verifier = createVerifier();
        const applier = createApplier({ state: {} });
        for (const event of events) {
          verifier.check(event);
          applier.apply(event);
          seen.add(event.type);
        }
        verifier.end();
        const encoder = createSseEncoder();
        const body = events.map((event, index) => encoder.encode({ ...event }, index)).join('');
        const headers = { 'content-type': 'text/event-stream' };
        const agent = new HttpAgent({ url: 'http://x', fetch: async () => new Response(body, { headers }) });
        let ends = 0;
        await agent.runAgent(
          {},
          {
            onRunFinishedEvent: () => void (ends += 1),
            onRunErrorEvent: () => void (ends += 1),
            onRunFailed: ({ error }) => {
              throw error;
            },
          },
        );
        expect(ends).toBe(1);
        expect(applier.messages).toEqual(agent.messages);
        expect(applier.state).toEqual(agent.state);
        expect(agent.pendingInterrupts).toEqual(ending === 2 ? INTERRUPTS : []);
      }),
      { numRuns: runs(100) },
    );
    // All types except the three chunk events.
    expect(seen.size).toBe(28);
  });

  it('starts the run by itself and closes open streams before the end, newest first', () => {
    const events = record((emitter) => {
      emitter.step('plan');
      emitter.reasoning().delta('hm');
      emitter.text().delta('hello');
      emitter.toolCall('search').delta('{');
      emitter.finish();
    });
    expect(types(events)).toMatchInlineSnapshot(`
      [
        "RUN_STARTED",
        "STEP_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TEXT_MESSAGE_END",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
      ]
    `);
  });

  it('writes snapshots after it closes messages and before the interrupt', () => {
    const events = record((emitter) => {
      emitter.text().delta('one moment');
      emitter.interrupt(INTERRUPTS, { state: {}, messages: [] });
    });
    expect(types(events).slice(-4)).toEqual([
      'TEXT_MESSAGE_END',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
  });

  it('closes an open message before an error', () => {
    const events = record((emitter) => {
      emitter.text().delta('half');
      emitter.fail('No.', { code: 'MODEL_FAILED' });
    });
    expect(types(events).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR']);
  });

  it('suspends active subagents when the run is interrupted', () => {
    const events = record((emitter) => {
      emitter.subagent({ name: 'helper', subagentRunId: 's' }).text().delta('x');
      emitter.interrupt([{ id: 'q', reason: 'x', subagentRunId: 's' }]);
    });
    expect(events.at(-2)).toEqual({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 's',
      outcome: { type: 'suspended' },
    });
  });

  it('throws and writes nothing for an illegal call', () => {
    const events = record((emitter) => {
      expect(() => emitter.interrupt([])).toThrow('without an interrupt');
      expect(() => emitter.interrupt([INTERRUPTS[0]!, INTERRUPTS[0]!])).toThrow('two interrupts with one id');
      const text = emitter.text({ messageId: 'm' });
      expect(() => emitter.text({ messageId: 'm' })).toThrow(HoldpointError);
      text.end();
      text.end();
      expect(() => text.delta('late')).toThrow('is closed');
      expect(() => emitter.start()).toThrow('already started');
      emitter.finish();
      expect(() => emitter.finish()).toThrow('has ended');
      expect(() => emitter.custom('late', 1)).toThrow('has ended');
    });
    expect(types(events)).toEqual(['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'RUN_FINISHED']);
  });

  it('stamps events with the time of its clock and writes the protocol version', () => {
    const events: AgentStreamEvent[] = [];
    const emitter = createEmitter({
      threadId: 't',
      runId: 'r',
      clock: { now: () => 42 },
      write: (event) => events.push(event),
    });
    emitter.finish();
    expect(events[0]).toEqual({
      type: 'RUN_STARTED',
      threadId: 't',
      runId: 'r',
      protocolVersion: '1.0',
      timestamp: 42,
    });
  });
});
