import type { AGUIEvent, Event, Message } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { AGUI_MEDIA_TYPE, EventEncoder } from '@ag-ui/encoder';
import { decode, encode } from '@ag-ui/proto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/size.ts';
import { arbitraryEvent, arbitraryEventOf } from '../testing-support/arbitrary-events.ts';
import { AGUI_BINARY_MEDIA_TYPE } from './wire-table.ts';
import { decodeBinaryEvent } from './decode-event.ts';
import { encodeBinaryEvent, encodeBinaryFrame } from './encode-event.ts';

describe.each(Object.values(EventType))('%s', (type) => {
  it('generates events of AG-UI 1.0', () => {
    fc.assert(
      fc.property(arbitraryEventOf(type), (event) => {
        expect(EventSchemas.safeParse(structuredClone(event)).error).toBeUndefined();
      }),
    );
  });

  it('writes the bytes of the official encoder', () => {
    fc.assert(
      fc.property(arbitraryEventOf(type), (event: Event) => {
        expect(encodeBinaryEvent(event)).toEqual(encode(structuredClone(event)));
      }),
      { numRuns: runs(30) },
    );
  });

  it('reads the same event with both decoders, from both encoders', () => {
    fc.assert(
      fc.property(arbitraryEventOf(type), (event: Event) => {
        expect(decodeBinaryEvent(encode(structuredClone(event)))).toStrictEqual(
          decode(encodeBinaryEvent(event)),
        );
      }),
    );
  });

  it('reads an event as it was written, except for empty lists', () => {
    fc.assert(
      fc.property(arbitraryEventOf(type), (event: Event) => {
        expect(decodeBinaryEvent(encodeBinaryEvent(event))).toStrictEqual(withListsAsRead(event));
      }),
    );
  });
});

describe('a frame', () => {
  it('writes the frame of the official encoder', () => {
    const encoder = new EventEncoder({ accept: AGUI_BINARY_MEDIA_TYPE });
    fc.assert(
      fc.property(arbitraryEvent(), (event) => {
        expect(encodeBinaryFrame(event)).toEqual(encoder.encodeBinary(event));
      }),
    );
  });

  it('exports the official media type', () => {
    expect(AGUI_BINARY_MEDIA_TYPE).toBe(AGUI_MEDIA_TYPE);
  });
});

describe('losses of the binary form, equal to those of the official one', () => {
  const custom = (value: unknown): Event => ({ type: EventType.CUSTOM, name: 'any', value });

  it.each([
    ['keeps -0, which JSON text loses', -0, -0],
    ['keeps a byte order mark', '\uFEFFtext', '\uFEFFtext'],
    ['replaces a lone surrogate', 'a\uD800b', 'a\uFFFDb'],
    ['loses undefined members', { gone: undefined, kept: null }, { kept: null }],
    ['makes a date an empty object, where JSON text has a string', new Date(0), {}],
  ])('%s', (_name, value, expected) => {
    const bytes = encodeBinaryEvent(custom(value));
    expect(bytes).toEqual(encode(custom(value)));
    expect(decodeBinaryEvent(bytes)).toStrictEqual(custom(expected));
    expect(decode(bytes)).toStrictEqual(custom(expected));
  });

  it.each([
    ['a number that JSON does not have', Number.NaN, null],
    ['an undefined item', [undefined, 1], [null, 1]],
  ])(
    'reads %s as null, as JSON text has it, where the official decoder does not',
    (_name, value, expected) => {
      const bytes = encodeBinaryEvent(custom(value));
      expect(bytes).toEqual(encode(custom(value)));
      expect(decodeBinaryEvent(bytes)).toStrictEqual(custom(expected));
      expect(decode(bytes)).toStrictEqual(custom(value));
    },
  );

  it('drops optional nulls and unknown fields, and keeps nulls with a meaning', () => {
    const events = [
      { ...custom(null), timestamp: null, rawEvent: null, metadata: null, later: 1 },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r', outcome: null, result: null, usage: null },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/a', value: null }] },
      { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'm', role: 'assistant', content: null }] },
    ].map((event) => event as unknown as Event);
    expect(events.map((event) => encodeBinaryEvent(event))).toEqual(events.map((event) => encode(event)));
    expect(events.map((event) => decodeBinaryEvent(encodeBinaryEvent(event)))).toStrictEqual([
      { type: 'CUSTOM', name: 'any', value: null },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/a', value: null }] },
      { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'm', role: 'assistant' }] },
    ]);
  });
});

/** An empty list has no bytes: an optional list reads as absent, and an absent `resume` as empty. */
function withListsAsRead(event: AGUIEvent): unknown {
  switch (event.type) {
    case EventType.MESSAGES_SNAPSHOT:
      return { ...event, messages: event.messages.map(messageAsRead) };
    case EventType.RUN_STARTED: {
      if (event.input === undefined) return event;
      const { messages, resume = [], ...input } = event.input;
      return { ...event, input: { ...input, resume, messages: messages.map(messageAsRead) } };
    }
    case EventType.RUN_ERROR:
      return withoutEmpty(event, 'usage');
    case EventType.RUN_FINISHED: {
      const read = withoutEmpty(event, 'usage');
      return event.outcome === undefined
        ? read
        : { ...read, outcome: withoutEmpty(event.outcome, 'pendingToolCallIds') };
    }
    case EventType.SUBAGENT_FINISHED:
      return event.outcome === undefined
        ? event
        : { ...event, outcome: withoutEmpty(event.outcome, 'interruptIds') };
    default:
      return event;
  }
}

function messageAsRead(message: Message): object {
  return withoutEmpty(message, 'toolCalls');
}

function withoutEmpty(record: object, list: string): object {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => name !== list || !isEmpty(value)),
  );
}
