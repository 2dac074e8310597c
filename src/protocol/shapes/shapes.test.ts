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
import { decodeRunInput } from './decode-earlier.ts';
import { decodeEvent } from './decode.ts';
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

  it('accepts the input of a run without tools and context', () => {
    const { tools: _tools, context: _context, ...input } = INPUT;
    const event = { type: 'RUN_STARTED', threadId: 't', runId: 'r', input };
    expect(decodeEvent(event)).toBe(event);
  });

  it.each([
    ['RUN_FINISHED', { type: 'success', interrupts: [{ id: 'i', reason: 'x' }] }, '/outcome/interrupts'],
    ['RUN_FINISHED', { type: 'cancelled', interrupts: [{ id: 'i', reason: 'x' }] }, '/outcome/interrupts'],
    ['SUBAGENT_FINISHED', { type: 'success', interruptIds: ['i'] }, '/outcome/interruptIds'],
  ])('rejects a %s whose outcome %j contradicts itself', (type, outcome, pointer) => {
    const event = { type, threadId: 't', runId: 'r', subagentRunId: 's', outcome };
    expect(refusal(() => decodeEvent(event))?.issues).toMatchObject([{ pointer }]);
  });

  it('drops an operation that RFC 6902 does not define and keeps the rest of the patch', () => {
    const unknown: string[] = [];
    const replace = { op: 'replace', path: '/count', value: 5 };
    const delta = [{ op: 'increment', path: '/count', value: 1 }, replace];
    expect(
      decodeEvent({ type: 'STATE_DELTA', delta }, { onUnknown: (pointer) => unknown.push(pointer) }),
    ).toEqual({ type: 'STATE_DELTA', delta: [replace] });
    expect(unknown).toEqual(['/delta/0']);
  });

  it.each([
    [{ op: 'add', path: '/n' }, '/delta/0/value'],
    [{ op: 'move', path: '/n' }, '/delta/0/from'],
    [{ op: 'remove', path: 'n' }, '/delta/0/path'],
    [{ op: 'remove', path: '/a~2b' }, '/delta/0/path'],
  ])('rejects the patch operation %j', (operation, pointer) => {
    const error = refusal(() => decodeEvent({ type: 'STATE_DELTA', delta: [operation] }));
    expect(error?.issues).toMatchObject([{ pointer }]);
  });

  it.each([
    [{ mimeType: 'image/png', data: 'aGk=' }, 'image', { type: 'data', value: 'aGk=' }],
    [
      { mimeType: 'audio/mp3', url: 'https://a.example/b' },
      'audio',
      { type: 'url', value: 'https://a.example/b' },
    ],
    [{ mimeType: 'application/pdf', id: 'f-1' }, 'document', { type: 'file', value: 'f-1' }],
  ])('reads the binary part %j of an earlier client as a part of the type %s', (part, type, source) => {
    const input = {
      ...INPUT,
      messages: [{ id: 'm', role: 'user', content: [{ type: 'binary', filename: 'a', ...part }] }],
    };
    expect(decodeRunInput(input).messages[0]?.content).toEqual([
      { type, source: { ...source, mimeType: part.mimeType }, metadata: { filename: 'a' } },
    ]);
  });

  it.each([{ text: 'hello' }, { mimeType: 'image/png' }, { data: 'aGk=' }])(
    'drops a binary part without a media type or a source, and reports it: %j',
    (part) => {
      const unknown: string[] = [];
      const messages = [{ id: 'm', role: 'user', content: [{ type: 'binary', ...part }] }];
      const onUnknown = (pointer: string) => unknown.push(pointer);
      expect(decodeRunInput({ ...INPUT, messages }, { onUnknown }).messages[0]?.content).toEqual([]);
      expect(unknown).toEqual(['/messages/0/content/0']);
    },
  );

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
