import type { Event } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import { AGUIUnknownEventTypeError, decode } from '@ag-ui/proto';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../../../test/size.ts';
import { HoldpointError } from '../../core/index.ts';
import { arbitraryEvent } from '../testing-support/arbitrary-events.ts';
import { decodeBinaryEvent } from './decode-event.ts';
import { encodeBinaryEvent } from './encode-event.ts';

const STEP_STARTED_ARM = 15;
const STATE_SNAPSHOT_ARM = 7;
const MESSAGES_SNAPSHOT_ARM = 9;
const TOOL_CALL_RESULT_ARM = 22;

// The official decoder logs each part it drops.
beforeAll(() => vi.stubEnv('SUPPRESS_TRANSFORMATION_WARNINGS', '1'));
afterAll(() => vi.unstubAllEnvs());

describe('decodeBinaryEvent', () => {
  const step = field(STEP_STARTED_ARM, base(14), field(2, 's'));
  const stepEvent = { type: 'STEP_STARTED', stepName: 's' };

  it('drops unknown fields and wire types', () => {
    const unknown = [field(77, 'later'), varint(78, 1), group(79, varint(1, 1)), varint(2, 9)];
    expect(read(field(STEP_STARTED_ARM, base(14), field(2, 's'), ...unknown))).toStrictEqual(stepEvent);
    expect(read([step, varint(90, 4), field(91, 'beside')])).toStrictEqual(stepEvent);
  });

  it('returns undefined for an event of a later protocol', () => {
    const future = bytesOf(field(32, base(31), field(2, 'later')));
    expect(decodeBinaryEvent(future)).toBeUndefined();
    expect(() => decode(future)).toThrow(AGUIUnknownEventTypeError);
  });

  it('merges a repeated message, as protobuf does', () => {
    const more = field(STEP_STARTED_ARM, field(1, field(4, entry('b', varint(4, 1)))), field(3, 'sub'));
    const first = field(STEP_STARTED_ARM, base(14, field(4, entry('a', varint(1, 0)))), field(2, 's'));
    expect(read([first, more])).toStrictEqual({
      ...stepEvent,
      subagentRunId: 'sub',
      metadata: { a: null, b: true },
    });
  });

  it('merges JSON of one kind, and takes the last kind', () => {
    const list = field(6, field(1, field(3, 'x')));
    const struct = field(5, entry('a', field(3, 'x')));
    const snapshot = (...kinds: Bytes[]): Bytes =>
      field(STATE_SNAPSHOT_ARM, base(6), ...kinds.map((kind) => field(2, kind)));
    expect(read(snapshot(list, list))).toStrictEqual({ type: 'STATE_SNAPSHOT', snapshot: ['x', 'x'] });
    expect(read(snapshot(struct, list))).toStrictEqual({ type: 'STATE_SNAPSHOT', snapshot: ['x'] });
    expect(read(snapshot(list, struct, field(5, entry('b', varint(4, 0)))))).toStrictEqual({
      type: 'STATE_SNAPSHOT',
      snapshot: { a: 'x', b: false },
    });
  });

  it('merges the value of a member, and replaces it when the member is repeated', () => {
    const list = (text: string): Bytes => field(2, field(6, field(1, field(3, text))));
    const metadata = [
      field(1, field(1, 'a'), list('x'), list('y')),
      field(1, field(1, 'b'), list('x')),
      field(1, field(1, 'b'), list('y')),
    ];
    expect(read(field(STEP_STARTED_ARM, base(14, field(4, ...metadata)), field(2, 's')))).toStrictEqual({
      ...stepEvent,
      metadata: { a: ['x', 'y'], b: ['y'] },
    });
  });

  it('reads an interrupt outcome without interrupts as an empty list', () => {
    expect(read(field(13, base(12), field(5, 'interrupt')))).toStrictEqual({
      type: 'RUN_FINISHED',
      threadId: '',
      runId: '',
      outcome: { type: 'interrupt', interrupts: [] },
    });
  });

  it('does not read past the end of the enclosing message', () => {
    const event = [0x7a, 6, 0x0a, 9, 8, 14, 0x12, 1, 115, 0, 0];
    expect(() => decodeBinaryEvent(bytesOf(event))).toThrow('a length runs past the end');
  });

  it('drops content parts and sources of a later protocol', () => {
    const parts = [
      field(7, field(9, 'part')),
      field(7, field(2, field(1, field(9, 'source')))),
      field(7, field(1, field(1, 'a'))),
    ];
    expect(read(field(TOOL_CALL_RESULT_ARM, base(21), ...parts))).toStrictEqual({
      type: 'TOOL_CALL_RESULT',
      messageId: '',
      toolCallId: '',
      content: [{ type: 'text', text: 'a' }],
    });
  });

  it('keeps an unknown patch operation, outcome and role for the caller', () => {
    expect(read(field(8, base(7), field(2, varint(1, 9), field(2, '/a'))))).toStrictEqual({
      type: 'STATE_DELTA',
      delta: [{ op: '9', path: '/a' }],
    });
    expect(read(field(13, base(12), field(5, 'later'), field(8, 'c1')))).toStrictEqual({
      type: 'RUN_FINISHED',
      threadId: '',
      runId: '',
      outcome: { type: 'later', pendingToolCallIds: ['c1'] },
    });
    expect(
      read(
        field(
          MESSAGES_SNAPSHOT_ARM,
          base(8),
          field(2, field(2, 'oracle'), field(13, entry('a', varint(1, 0)))),
        ),
      ),
    ).toStrictEqual({
      type: 'MESSAGES_SNAPSHOT',
      messages: [{ id: '', role: 'oracle', content: { a: null } }],
    });
  });

  const message = (...fields: Bytes[]): Bytes => field(MESSAGES_SNAPSHOT_ARM, base(8), field(2, ...fields));
  const textPart = field(8, field(1, field(1, 'part')));
  const activity = field(13, entry('a', varint(1, 0)));
  const source = (...arms: Bytes[]): Bytes =>
    message(field(2, 'user'), field(8, field(2, field(1, ...arms))));

  it.each([
    ['nothing', []],
    ['an empty event', field(STEP_STARTED_ARM)],
    ['an event without a base', field(STEP_STARTED_ARM, field(2, 's'))],
    ['a base of another type', field(STEP_STARTED_ARM, base(15), field(2, 's'))],
    ['two events', [step, field(16, base(15))]],
    ['an event that is a number', varint(STEP_STARTED_ARM, 1)],
    ['only a number beside the events', varint(40, 1)],
    ['a later event that is no message', field(40, [0xff])],
    ['a field with the number 0', [...step, 0, 0]],
    ['a group that never ends', [...step, ...varint(50, 1), (51 * 8 + 3) & 0xff]],
    ['a group that another one ends', [...step, 0x0b, 0x14]],
    ['a length past the end', step.slice(0, -1)],
    ['a length past its message', field(STEP_STARTED_ARM, base(14), [0x12, 9, 115])],
    ['a length of 4 GiB', [...tag(STEP_STARTED_ARM, 2), 0xff, 0xff, 0xff, 0xff, 0x0f, 1]],
    ['a varint that never ends', [...tag(40, 0), ...Array.from({ length: 20 }, () => 0xff)]],
    ['bytes that are not UTF-8', field(STEP_STARTED_ARM, base(14), field(2, [0xc3, 0x28]))],
    [
      'a timestamp past 2^53',
      field(STEP_STARTED_ARM, base(14, [0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10])),
    ],
    ['text and parts', message(field(2, 'user'), field(3, 'text'), textPart)],
    ['parts for the system', message(field(2, 'system'), textPart)],
    ['an object for the assistant', message(field(2, 'assistant'), activity)],
    ['text for an activity', message(field(2, 'activity'), field(3, 'text'))],
    [
      'a part of two kinds',
      message(field(2, 'user'), field(8, field(1, field(1, 'a')), field(2, field(3, 'b')))),
    ],
    ['a source of two kinds', source(field(1, field(1, 'a')), field(2, field(1, 'b')))],
    [
      'a tool result with text and parts',
      field(TOOL_CALL_RESULT_ARM, base(21), field(5, 'a'), field(7, field(1, field(1, 'b')))),
    ],
  ])('throws INPUT_INVALID for %s', (_name, bytes) => {
    expect(() => decodeBinaryEvent(bytesOf(bytes))).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  });

  it.each(['__proto__', 'constructor'])(
    'throws INPUT_INVALID for a member named %s and changes no prototype',
    (name) => {
      const polluted = entry(name, field(5, entry('polluted', varint(4, 1))));
      for (const bytes of [
        field(STEP_STARTED_ARM, base(14, field(4, polluted))),
        field(STATE_SNAPSHOT_ARM, base(6), field(2, field(6, field(1, field(5, polluted))))),
      ]) {
        expect(() => decodeBinaryEvent(bytesOf(bytes))).toThrow(
          expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(name) }),
        );
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  it.each([
    ['arrays', (inner: unknown): unknown => [inner]],
    ['objects', (inner: unknown): unknown => ({ a: inner })],
  ])('reads %s nested 100 levels deep and no deeper', (_name, nest) => {
    const nested = (levels: number): unknown => (levels === 0 ? 'deep' : nest(nested(levels - 1)));
    const event: Event = { type: EventType.STATE_SNAPSHOT, snapshot: nested(100) };
    expect(decodeBinaryEvent(encodeBinaryEvent(event))).toStrictEqual(event);
    expect(() => encodeBinaryEvent({ ...event, snapshot: nested(101) })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
    const tooDeep = Array.from({ length: 101 }).reduce<Bytes>((inner) => field(6, field(1, inner)), []);
    expect(() => decodeBinaryEvent(bytesOf(field(STATE_SNAPSHOT_ARM, base(6), field(2, tooDeep))))).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining('100 levels') }),
    );
  });

  it('throws INPUT_INVALID for an event of more than a million members', () => {
    const writer = new BinaryWriter().uint32(tag(MESSAGES_SNAPSHOT_ARM, 2)[0] ?? 0).fork();
    writer.raw(bytesOf(base(8)));
    for (let count = 0; count < 1_000_001; count += 1) writer.uint32(0x12).uint32(0);
    expect(() => decodeBinaryEvent(writer.join().finish())).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining('1000000 members') }),
    );
  });
});

describe('decodeBinaryEvent of arbitrary bytes', () => {
  it('throws only INPUT_INVALID for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => readOrRefuse(bytes)).not.toThrow();
      }),
      { numRuns: runs(1500) },
    );
  });

  it('throws only INPUT_INVALID for damaged bytes, and accepts only what the official decoder accepts', () => {
    const damage = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(arbitraryEvent(), damage, (sent, damages) => {
        const bytes = damages.reduce(damaged, encodeBinaryEvent(sent));
        const event = readOrRefuse(bytes);
        expect(event).toStrictEqual(event === undefined ? undefined : asJson(decode(bytes.slice())));
      }),
      { numRuns: runs(1500) },
    );
  });
});

/** Undefined for rejected bytes, and for an event of a later protocol. */
function readOrRefuse(bytes: Uint8Array): unknown {
  try {
    return decodeBinaryEvent(bytes);
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return undefined;
    throw error;
  }
}

/** Flips a bit, inserts a byte, cuts the end off, or repeats a part at the end. */
function damaged(bytes: Uint8Array, [how, where, what]: readonly [number, number, number]): Uint8Array {
  const at = where % (bytes.length + 1);
  if (how === 0) return bytes.map((byte, index) => (index === at ? byte ^ (1 << (what % 8)) : byte));
  if (how === 1) return Uint8Array.of(...bytes.subarray(0, at), what % 256, ...bytes.subarray(at));
  if (how === 2) return bytes.slice(0, at);
  return Uint8Array.of(...bytes, ...bytes.subarray(at, at + (what % 40)));
}

/** Turns holes and numbers that JSON does not have into null, like the decoder. */
function asJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => asJson(item ?? null));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]));
}

type Bytes = readonly number[];

/** Decodes bytes and asserts that the official decoder returns the same. */
function read(bytes: Bytes | readonly Bytes[]): unknown {
  const event = decodeBinaryEvent(bytesOf(bytes));
  expect(event).toStrictEqual(decode(bytesOf(bytes)));
  return event;
}

function bytesOf(bytes: Bytes | readonly Bytes[]): Uint8Array {
  return Uint8Array.from(bytes.flat());
}

function tag(number: number, wireType: number): Bytes {
  return [...new BinaryWriter().uint32(number * 8 + wireType).finish()];
}

function varint(number: number, value: number): Bytes {
  return [...tag(number, 0), ...new BinaryWriter().uint32(value).finish()];
}

function group(number: number, content: Bytes): Bytes {
  return [...tag(number, 3), ...content, ...tag(number, 4)];
}

/** A length-delimited field of text or of nested fields. */
function field(number: number, ...content: readonly (string | Bytes)[]): Bytes {
  const inner = content.flatMap((part) => [
    ...(typeof part === 'string' ? new TextEncoder().encode(part) : part),
  ]);
  return [...tag(number, 2), ...new BinaryWriter().bytes(Uint8Array.from(inner)).finish()];
}

function base(type: number, ...fields: readonly Bytes[]): Bytes {
  return field(1, varint(1, type), ...fields);
}

/** A member of a Struct. */
function entry(key: string, value: Bytes): Bytes {
  return field(1, field(1, key), field(2, value));
}
