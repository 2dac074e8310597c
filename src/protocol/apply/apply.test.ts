import { AbstractAgent } from '@ag-ui/client';
import type { BaseEvent, Message } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import * as fc from 'fast-check';
import type { Observable } from 'rxjs';
import { from } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../../../test/size.ts';
import type { AgentStreamEvent } from '../events.ts';
import { arbitraryLegalRun, arbitraryState } from '../testing-support/arbitrary-streams.ts';
import { createApplier } from './create-applier.ts';

/** Runs the whole pipeline of the official client over a list of events. */
class ListAgent extends AbstractAgent {
  readonly #events: readonly AgentStreamEvent[];

  constructor(events: readonly AgentStreamEvent[], initialState: unknown, initialMessages: Message[]) {
    super({ initialState, initialMessages });
    this.#events = events;
  }

  override run(): Observable<BaseEvent> {
    return from(this.#events as readonly BaseEvent[]);
  }
}

function freezeDeep(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}

const HISTORY: Message[] = [
  { id: 'a', role: 'user', content: 'hi' },
  {
    id: 'm0',
    role: 'assistant',
    toolCalls: [{ id: 'call', type: 'function', function: { name: 'f', arguments: '' } }],
  },
  { id: 'last', role: 'assistant', content: 'there' },
];

describe('createApplier', () => {
  // The official client logs a line for every event it cannot apply.
  beforeAll(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  it('builds the messages and the state that the official client builds', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(arbitraryLegalRun(), arbitraryState(), fc.boolean(), async (events, state, empty) => {
        const history = empty ? [] : HISTORY;
        for (const { type } of events) seen.add(type);
        // The official client changes the values of a patch in place, so it gets its own copy.
        const received = JSON.parse(JSON.stringify(events)) as AgentStreamEvent[];
        const agent = new ListAgent(received, structuredClone(state), structuredClone(history));
        await agent.runAgent();
        const applier = createApplier({ messages: history, state });
        for (const event of events) applier.apply(event);
        expect(applier.messages).toEqual(agent.messages);
        expect(applier.state).toEqual(agent.state);
      }),
      { numRuns: runs(300) },
    );
    expect(seen.size).toBeGreaterThan(20);
  });

  it('never changes an event or a returned value', () => {
    fc.assert(
      fc.property(
        arbitraryLegalRun(),
        arbitraryState(),
        fc.integer({ min: 1, max: 7 }),
        (events, state, every) => {
          freezeDeep(events);
          const applier = createApplier({
            messages: freezeDeep(HISTORY) as Message[],
            state: freezeDeep(state),
          });
          const looks: { live: unknown; copy: unknown }[] = [];
          events.forEach((event, index) => {
            applier.apply(event);
            if (index % every !== 0) return;
            const live = { messages: applier.messages, state: applier.state };
            looks.push({ live, copy: structuredClone(live) });
          });
          for (const { live, copy } of looks) expect(live).toEqual(copy);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('shares unchanged values between results', () => {
    const state = { left: { big: [1, 2, 3] }, right: { n: 1 } };
    const applier = createApplier({ messages: HISTORY, state });
    const before = applier.messages;
    applier.apply({ type: EventType.TEXT_MESSAGE_START, messageId: 'new' });
    applier.apply({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'new', delta: 'x' });
    applier.apply({ type: EventType.STATE_DELTA, delta: [{ op: 'replace', path: '/right/n', value: 2 }] });
    const after = applier.state as typeof state;
    expect(applier.messages[0]).toBe(before[0]);
    expect(before).toHaveLength(3);
    expect(after.left).toBe(state.left);
    expect(after.right).toEqual({ n: 2 });
    expect(state.right).toEqual({ n: 1 });
  });

  it('reports an event it cannot apply and continues', () => {
    const warnings: string[] = [];
    const applier = createApplier({ state: { a: 1 }, onWarning: (warning) => warnings.push(warning) });
    applier.apply({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'm', delta: 'x' });
    applier.apply({ type: EventType.TOOL_CALL_ARGS, toolCallId: 'c', delta: 'x' });
    applier.apply({
      type: EventType.STATE_DELTA,
      delta: [
        { op: 'replace', path: '/a', value: 2 },
        { op: 'replace', path: '/missing', value: 1 },
      ],
    });
    expect(applier.state).toEqual({ a: 1 });
    expect(warnings).toMatchInlineSnapshot(`
      [
        "TEXT_MESSAGE_CONTENT: the message m does not exist",
        "TOOL_CALL_ARGS: there is no tool call c",
        "STATE_DELTA was ignored: Invalid JSON patch at /1: replace cannot be applied at /missing.",
      ]
    `);
  });

  it('rejects chunk events, which must be expanded first', () => {
    expect(() => createApplier().apply({ type: EventType.TEXT_MESSAGE_CHUNK, messageId: 'm' })).toThrow(
      'expanded',
    );
  });
});
