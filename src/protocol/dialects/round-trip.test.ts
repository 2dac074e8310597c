import type { Interrupt, RunAgentInput } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import type { AgentStreamEvent } from '../events.ts';
import {
  arbitraryEvent,
  arbitraryEventOf,
  arbitraryJson,
  arbitraryRunAgentInput,
} from '../testing-support/arbitrary-events.ts';
import type { DialectName } from './dialect.ts';
import { createEventReader, createEventWriter, decodeInput, dialectNamed } from './dialects.ts';

const NAMES: readonly DialectName[] = ['1.0', 'draft', 'snake', 'command'];

const NOW = 1_700_000_000_123;

/** The event as it is read; without the timestamp that the snake dialect adds. */
function throughWire(event: AgentStreamEvent, name: DialectName): AgentStreamEvent[] {
  const reader = createEventReader();
  const frames = createEventWriter(name, { now: () => NOW })(event).map((wire) => JSON.stringify(wire));
  return frames
    .flatMap((frame) => reader.readText(frame))
    .map((one) => {
      if (event.timestamp !== undefined || one.timestamp !== NOW) return one;
      const { timestamp: _added, ...rest } = one;
      return rest;
    });
}

/**
 * True when a dialect can express an event: the draft has one interrupt with reason and payload, command has one
 * interrupt.
 */
function canSay(event: AgentStreamEvent, name: DialectName): boolean {
  if (event.type !== EventType.RUN_FINISHED || event.outcome?.type !== 'interrupt') return true;
  if (name === 'command') return event.outcome.interrupts.length === 1;
  if (name !== 'draft') return true;
  if (event.result !== undefined || event.outcome.interrupts.length > 1) return false;
  return event.outcome.interrupts.every(
    (interrupt) =>
      Object.keys(interrupt).every((key) => ['id', 'reason', 'metadata'].includes(key)) &&
      (interrupt.metadata === undefined || Object.keys(interrupt.metadata).join() === 'payload'),
  );
}

describe.each(NAMES)('events in the dialect %s', (name) => {
  it('reads an event of every type as it was written', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        fc.pre(canSay(event, name));
        seen.add(event.type);
        expect(throughWire(event, name)).toEqual([event]);
      }),
      { numRuns: runs(300) },
    );
    expect([...seen].toSorted()).toEqual(Object.values(EventType).toSorted());
  });

  it('reads the end of an interrupted run as it was written', () => {
    const plain = fc.record(
      { id: fc.string(), reason: fc.string(), metadata: fc.record({ payload: arbitraryJson() }) },
      { requiredKeys: ['id', 'reason'] },
    );
    fc.assert(
      fc.property(
        arbitraryEventOf(EventType.RUN_FINISHED),
        plain,
        ({ result: _result, ...event }, interrupt) => {
          const finished = { ...event, outcome: { type: 'interrupt' as const, interrupts: [interrupt] } };
          expect(throughWire(finished, name)).toEqual([finished]);
        },
      ),
    );
  });

  it('keeps members that the protocol does not know', () => {
    const event = { type: EventType.STEP_STARTED, stepName: 's', 'x-vendor': { camelCase: 1 } } as const;
    expect(throughWire(event, name)).toEqual([event]);
  });
});

describe.each(NAMES)('inputs in the dialect %s', (name) => {
  /** An input without the parts that the dialect drops; undefined for an input it cannot express. */
  const prepare = (input: RunAgentInput): RunAgentInput | undefined => {
    const [answer, ...more] = input.resume ?? [];
    if (name === '1.0' || name === 'snake' || answer === undefined) return input;
    if (name === 'draft') {
      const { metadata: _lost, ...rest } = answer;
      return more.length > 0 ? undefined : { ...input, resume: [rest] };
    }
    return undefined;
  };

  it('reads an input as it was written, and recognizes its dialect when it differs from 1.0', () => {
    fc.assert(
      fc.property(arbitraryRunAgentInput(), (arbitrary) => {
        const input = prepare(arbitrary);
        fc.pre(input !== undefined && input.resume?.length !== 0);
        const wire: unknown = JSON.parse(JSON.stringify(dialectNamed(name).encodeInput(input)));
        expect(decodeInput(wire, '1.0').input).toEqual(input);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a command answer', () => {
  const base: RunAgentInput = { threadId: 't', runId: 'r', messages: [], tools: [], context: [] };

  it('reads the interrupt id of a command answer, for any JSON value', () => {
    fc.assert(
      fc.property(arbitraryJson(), (payload) => {
        fc.pre(payload !== null);
        const input: RunAgentInput = {
          ...base,
          resume: [{ interruptId: 'q', status: 'resolved', payload }],
        };
        const wire: unknown = JSON.parse(JSON.stringify(dialectNamed('command').encodeInput(input)));
        expect(decodeInput(wire)).toEqual({ input, dialect: 'command' });
      }),
    );
  });

  it('reads a command answer as a map by id when its keys are interrupts of the thread', () => {
    const input: RunAgentInput = {
      ...base,
      forwardedProps: { other: 1 },
      resume: [
        { interruptId: 'a', status: 'resolved', payload: { approved: true } },
        { interruptId: 'b', status: 'resolved', payload: 'x' },
      ],
    };
    const wire = dialectNamed('command').encodeInput(input);
    expect(wire['forwardedProps']).toEqual({
      other: 1,
      command: { resume: { a: { approved: true }, b: 'x' } },
    });
    expect(decodeInput(wire, '1.0', { interruptIds: ['a', 'b'] }).input).toEqual(input);
    expect(decodeInput(wire, '1.0', { interruptIds: ['a'] }).input.resume).toEqual([
      { interruptId: '', status: 'resolved', payload: { a: { approved: true }, b: 'x' } },
    ]);
  });

  it('gives a command answer no interrupt id without evidence, for any number of interrupts', () => {
    const wire = { ...base, forwardedProps: { command: { resume: 'yes' } } };
    for (const interruptIds of [[], ['only'], ['a', 'b']]) {
      expect(decodeInput(wire, '1.0', { interruptIds }).input.resume).toMatchObject([{ interruptId: '' }]);
    }
  });

  it('gives a command answer the interrupt that the transcript announced last, and drops the announcements', () => {
    const message = (id: string, role: string) => ({ id, role, content: 'x' });
    const messages = [
      message('on_interrupt:a', 'assistant'),
      message('m', 'assistant'),
      message('on_interrupt:b', 'assistant'),
      message('on_interrupt:c', 'user'),
    ];
    const wire = { ...base, messages, forwardedProps: { command: { resume: 'yes' } } };
    const { input } = decodeInput(wire);
    expect(input.resume).toMatchObject([{ interruptId: 'b', payload: 'yes' }]);
    expect(input.messages.map(({ id }) => id)).toEqual(['m', 'on_interrupt:c']);
  });

  it('keeps the other commands and removes the answer', () => {
    const wire = { ...base, forwardedProps: { command: { resume: 'yes', goto: 'x' } } };
    expect(decodeInput(wire).input.forwardedProps).toEqual({ command: { goto: 'x' } });
  });
});

const CARRIED = { responseSchema: { type: 'string' }, expiresAt: '2030-01-01T00:00:00Z' };

describe('limits of the dialects', () => {
  const interrupts: Interrupt[] = [
    {
      id: 'a',
      reason: 'input_required',
      message: 'Your e-mail?',
      responseSchema: { type: 'string' },
      expiresAt: '2030-01-01T00:00:00Z',
    },
    { id: 'b', reason: 'input_required' },
  ];
  const finished = {
    type: EventType.RUN_FINISHED,
    threadId: 't',
    runId: 'r',
    outcome: { type: 'interrupt', interrupts },
  } as const;

  it('writes the first of several interrupts in the draft dialect, with its schema and expiry in the payload', () => {
    expect(createEventWriter('draft')({ ...finished, outcome: { type: 'interrupt', interrupts } })).toEqual([
      {
        type: 'RUN_FINISHED',
        threadId: 't',
        runId: 'r',
        outcome: 'interrupt',
        interrupt: { id: 'a', reason: 'input_required', payload: { prompt: 'Your e-mail?', ...CARRIED } },
      },
    ]);
  });

  it('rejects several answers in the draft dialect', () => {
    const resume = [
      { interruptId: 'a', status: 'resolved' as const },
      { interruptId: 'b', status: 'resolved' as const },
    ];
    const input: RunAgentInput = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], resume };
    expect(() => dialectNamed('draft').encodeInput(input)).toThrow('one answer per run');
  });

  it('rejects a cancelled answer in the command dialect', () => {
    const resume = [{ interruptId: 'a', status: 'cancelled' as const }];
    const input: RunAgentInput = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], resume };
    expect(() => dialectNamed('command').encodeInput(input)).toThrow('only carry resolved answers');
  });

  it('rejects an unknown dialect by name', () => {
    expect(() => dialectNamed('klingon')).toThrow(
      'The AG-UI dialect klingon is unknown. Known dialects: 1.0, draft, snake, command.',
    );
  });
});
