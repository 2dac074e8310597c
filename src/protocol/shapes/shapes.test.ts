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
import { decodeEvent, decodeRunInput } from './decode.ts';
import { protocolJsonSchema } from './json-schema.ts';
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
  it('lists every event of the protocol and no other in the shape table', () => {
    expect(Object.keys(SHAPES.events).toSorted()).toEqual(Object.values(EventType).toSorted());
  });
});

describe('decodeEvent', () => {
  it('returns the same object for a valid event', () => {
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        expect(decodeEvent(event)).toBe(event);
      }),
      { numRuns: runs(200) },
    );
  });

  it('accepts and rejects the events with one changed member that the official schemas accept and reject', () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryEvent(), fc.nat(), arbitraryJson(), (event, pick, value) => {
        // Null for an optional member, and words of a newer version, are accepted here.
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

  it('keeps unknown members at every level', () => {
    const event = {
      type: 'RUN_FINISHED',
      threadId: 't',
      runId: 'r',
      vendor: { a: 1 },
      outcome: { type: 'interrupt', extra: 1, interrupts: [{ id: 'i', reason: 'x', vendor: [1] }] },
    };
    expect(decodeEvent(event)).toBe(event);
  });

  it('reads null as absence for an optional member, and keeps null where any JSON is allowed', () => {
    const event = { type: 'CUSTOM', name: 'x', value: null, timestamp: null, metadata: { a: null } };
    expect(decodeEvent(event)).toEqual({ type: 'CUSTOM', name: 'x', value: null, metadata: { a: null } });
    expect(event.timestamp).toBeNull();
  });

  it('reports the pointer and the expected type of each issue', () => {
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

  it('never reads an unknown outcome as a success', () => {
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

  it('drops parts of a newer version and reports their pointers', () => {
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

  it.each([[null], [[]], ['RUN_STARTED'], [{}], [{ type: 3 }]])('throws INPUT_INVALID for %j', (value) => {
    expect(refusal(() => decodeEvent(value))).toBeDefined();
  });
});

describe('decodeRunInput', () => {
  it('accepts the inputs that the official schema accepts', () => {
    fc.assert(
      fc.property(arbitraryRunAgentInput(), (input) => {
        expect(decodeRunInput(input)).toEqual(RunAgentInputSchema.parse(input));
      }),
    );
  });

  it('reads missing tools and context as empty lists', () => {
    expect(decodeRunInput({ threadId: 't', runId: 'r', messages: [] })).toEqual({
      threadId: 't',
      runId: 'r',
      messages: [],
      tools: [],
      context: [],
    });
  });

  it('reports the pointer of an invalid resume', () => {
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

describe('protocolJsonSchema', () => {
  const validator = new Validator(JSON.parse(JSON.stringify(protocolJsonSchema())), '2020-12');

  it('accepts every event by the JSON Schema', () => {
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        expect(validator.validate(event).valid).toBe(true);
      }),
    );
  });

  it('rejects by the JSON Schema the events that decodeEvent rejects', () => {
    expect(validator.validate({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm' }).valid).toBe(false);
    expect(
      validator.validate({ type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: 'interrupt' }).valid,
    ).toBe(false);
  });
});
