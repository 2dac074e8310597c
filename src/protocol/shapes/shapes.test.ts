import { EventType } from '@ag-ui/core';
import { EventSchemas, RunAgentInputSchema } from '@ag-ui/core/schemas';
import { Validator } from '@cfworker/json-schema';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../../core/index.ts';
import {
  arbitraryEvent,
  arbitraryJson,
  arbitraryRunAgentInput,
} from '../testing-support/arbitrary-events.ts';
import { decodeEvent, decodeRunInput, protocolJsonSchema } from './index.ts';
import { SHAPES } from './shape-table.ts';

function refusal(action: () => unknown): HoldpointError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return error;
    throw error;
  }
}

const INPUT = {
  threadId: 't',
  runId: 'r',
  messages: [{ id: 'm', role: 'user', content: 'Hi' }],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
};

describe('the shape table', () => {
  it('has every event of the protocol and no other', () => {
    expect(Object.keys(SHAPES.events).toSorted()).toEqual(Object.values(EventType).toSorted());
  });
});

describe('decoding an event', () => {
  it('gives back the very object when it is valid', () => {
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        expect(decodeEvent(event)).toBe(event);
      }),
      { numRuns: runs(200) },
    );
  });

  it('accepts and refuses what the official schemas accept and refuse, on events with one member spoilt', () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryEvent(), fc.nat(), arbitraryJson(), (event, pick, value) => {
        // Null for an optional member, and words that a newer version may add, are read more leniently here.
        fc.pre(value !== null);
        const keys = Object.keys(event).filter(
          (key) => key !== 'type' && key !== 'messages' && key !== 'input',
        );
        fc.pre(keys.length > 0);
        const spoilt = { ...event, [keys[pick % keys.length]!]: value };
        const theirs = EventSchemas.safeParse(structuredClone(spoilt)).success;
        const ours = refusal(() => decodeEvent(spoilt)) === undefined;
        if (!ours) refused += 1;
        if (event.type === EventType.TOOL_CALL_RESULT && Array.isArray(spoilt['content' as never])) return;
        expect({ accepted: ours }).toEqual({ accepted: theirs });
      }),
      { numRuns: runs(500) },
    );
    expect(refused).toBeGreaterThan(runs(80));
  });

  it('keeps a RUN_STARTED with the input of its run', () => {
    const event = { type: 'RUN_STARTED', threadId: 't', runId: 'r', input: INPUT };
    expect(decodeEvent(event)).toBe(event);
  });

  it('keeps members the protocol does not name, at every level', () => {
    const event = {
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'r',
      vendor: { a: 1 },
      outcome: { type: 'interrupt', extra: 1, interrupts: [{ id: 'i', reason: 'x', vendor: [1] }] },
    };
    expect(decodeEvent(event)).toBe(event);
  });

  it('reads null in place of an optional member as its absence, and keeps null where any JSON goes', () => {
    const event = { type: 'CUSTOM', name: 'x', value: null, timestamp: null, metadata: { a: null } };
    expect(decodeEvent(event)).toEqual({ type: 'CUSTOM', name: 'x', value: null, metadata: { a: null } });
    expect(event.timestamp).toBeNull();
  });

  it('says where it is wrong and what was expected', () => {
    const error = refusal(() =>
      decodeEvent({
        type: 'RUN_FINISHED',
        threadId: 't',
        outcome: { type: 'interrupt', interrupts: [{ id: 7, reason: 'x' }, 'nonsense'] },
      }),
    );
    expect(error?.issues).toMatchInlineSnapshot(`
      [
        {
          "message": "expected a string, found nothing",
          "pointer": "/runId",
        },
        {
          "message": "expected a string, found a number",
          "pointer": "/outcome/interrupts/0/id",
        },
        {
          "message": "expected an object, found "nonsense"",
          "pointer": "/outcome/interrupts/1",
        },
      ]
    `);
  });

  it('never reads an outcome it does not know as a success', () => {
    const error = refusal(() =>
      decodeEvent({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: { type: 'paused' } }),
    );
    expect(error?.issues[0]).toEqual({
      pointer: '/outcome/type',
      message: 'expected one of success, interrupt, cancelled, found "paused"',
    });
    expect(
      refusal(() =>
        decodeEvent({
          type: 'RUN_FINISHED',
          threadId: 't',
          runId: 'r',
          outcome: { type: 'interrupt', interrupts: [] },
        }),
      )?.message,
    ).toContain('a list of at least one');
  });

  it('leaves out what a newer version added and says where', () => {
    const unknown: string[] = [];
    const onUnknown = (pointer: string) => unknown.push(pointer);
    expect(decodeEvent({ type: 'HOLOGRAM' }, { onUnknown })).toBeUndefined();
    const text = { type: 'text', text: 'hi' };
    const event = decodeEvent(
      {
        type: 'MESSAGES_SNAPSHOT',
        messages: [
          { id: '1', role: 'user', content: [{ type: 'hologram' }, text] },
          { id: '2', role: 'oracle', content: 'soon' },
        ],
      },
      { onUnknown },
    );
    expect(event).toEqual({
      type: 'MESSAGES_SNAPSHOT',
      messages: [{ id: '1', role: 'user', content: [text] }],
    });
    expect(unknown).toEqual(['', '/messages/0/content/0', '/messages/1']);
  });

  it.each([[null], [[]], ['RUN_STARTED'], [{}], [{ type: 3 }]])('refuses %j', (value) => {
    expect(refusal(() => decodeEvent(value))).toBeDefined();
  });
});

describe('decoding a run input', () => {
  it('accepts what the official schema accepts', () => {
    fc.assert(
      fc.property(arbitraryRunAgentInput(), (input) => {
        expect(decodeRunInput(input)).toEqual(RunAgentInputSchema.parse(input));
      }),
    );
  });

  it('reads missing tools and context as none', () => {
    expect(decodeRunInput({ threadId: 't', runId: 'r', messages: [] })).toEqual({
      threadId: 't',
      runId: 'r',
      messages: [],
      tools: [],
      context: [],
    });
  });

  it('says where a resume is wrong', () => {
    const error = refusal(() =>
      decodeRunInput({
        threadId: 't',
        runId: 'r',
        messages: [],
        resume: [{ interruptId: 'i', status: 'done' }],
      }),
    );
    expect(error?.issues).toEqual([
      { pointer: '/resume/0/status', message: 'expected "resolved" or "cancelled", found "done"' },
    ]);
  });
});

describe('the JSON Schema of the protocol', () => {
  const validator = new Validator(JSON.parse(JSON.stringify(protocolJsonSchema())), '2020-12');

  it('accepts every event', () => {
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        expect(validator.validate(event).valid).toBe(true);
      }),
    );
  });

  it('refuses what decoding refuses', () => {
    expect(validator.validate({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm' }).valid).toBe(false);
    expect(
      validator.validate({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: 'interrupt' }).valid,
    ).toBe(false);
  });
});
