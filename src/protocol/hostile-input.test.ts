import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { HoldpointError } from '../core/index.ts';
import { createApplier, createEventReader, decodeInput } from './index.ts';
import { arbitraryEvent, arbitraryRunAgentInput } from './testing-support/arbitrary-events.ts';

function onlyHoldpointErrors(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
  }
}

const NAMES = [
  'type',
  'messages',
  'resume',
  'outcome',
  'interrupt',
  'threadId',
  'run_id',
  'content',
  'delta',
  'role',
];
const key = fc.oneof(
  fc.constantFrom(...NAMES, '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const TYPES = [
  'RUN_STARTED',
  'RUN_FINISHED',
  'run_finished',
  'approval_requested',
  'CUSTOM',
  'STATE_DELTA',
  'x',
];
const leaf = fc.oneof(
  fc.constantFrom(...TYPES, 'interrupt', 'on_interrupt', '\ud800', '[DONE]'),
  fc.double(),
  fc.constantFrom<unknown>(null, true, Number.NaN, -0, 1e308),
);
const json = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('node')), { maxLength: 5 }).map((entries) => {
      // JSON text may repeat a name; an object would merge the members.
      return { entries };
    }),
  ),
})).node;

function toText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toText).join(',')}]`;
  if (typeof value === 'object' && value !== null && 'entries' in value && Array.isArray(value.entries)) {
    const members = value.entries.map(
      ([name, member]: [string, unknown]) => `${JSON.stringify(name)}:${toText(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

describe('hostile input', () => {
  afterEach(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('throws only a HoldpointError for random events and inputs', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = toText(value);
        onlyHoldpointErrors(() => createEventReader().readText(text));
        onlyHoldpointErrors(() => decodeInput(JSON.parse(text)));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('throws only a HoldpointError for events and inputs with a damaged part', () => {
    const valid = fc.oneof(
      arbitraryEvent().map((event) => JSON.stringify(event)),
      arbitraryRunAgentInput().map((input) => JSON.stringify(input)),
    );
    fc.assert(
      fc.property(valid, fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }), (text, at, piece) => {
        const position = at % text.length;
        const spoilt = text.slice(0, position) + piece + text.slice(position + 1 + (at % 7));
        onlyHoldpointErrors(() => createEventReader().readText(spoilt));
      }),
      { numRuns: runs(800) },
    );
  });

  it('reads or rejects 10 MB strings, depth 10,000, lone surrogates and duplicate keys', () => {
    const reader = createEventReader({ limits: { maxLength: 20_000_000 } });
    const huge = 'x'.repeat(10_000_000);
    const [event] = reader.readText(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"${huge}"}`);
    expect(event).toMatchObject({ delta: huge });
    expect(() =>
      createEventReader().readText(`{"type":"CUSTOM","name":"x","value":"${huge}x${huge}"}`),
    ).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(() => reader.readText(`{"type":"STATE_SNAPSHOT","snapshot":${deep}}`)).toThrow(
      'levels of nesting',
    );
    const [surrogate] = reader.readText(
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"\\ud800","delta":"\\udfff"}',
    );
    expect(surrogate).toMatchObject({ messageId: '\ud800' });
    const [twice] = reader.readText('{"type":"RAW","type":"CUSTOM","name":"a","name":"b","value":1}');
    expect(twice).toEqual({ type: 'CUSTOM', name: 'b', value: 1 });
  });

  it('changes no prototype for any event', () => {
    const text = '{"type":"STATE_SNAPSHOT","snapshot":{"__proto__":{"polluted":true}}}';
    expect(() => createEventReader().readText(text)).toThrow('__proto__');
    const applier = createApplier({ state: {} });
    for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted']) {
      const delta = `{"type":"STATE_DELTA","delta":[{"op":"add","path":"${path}","value":true}]}`;
      for (const event of createEventReader().readText(delta)) applier.apply(event);
    }
    expect(applier.state).toEqual({});
  });

  it('reads no inherited member as an own member', () => {
    expect(() => decodeInput(Object.create({ threadId: 't', runId: 'r', messages: [] }))).toThrow(
      '/threadId',
    );
  });
});
