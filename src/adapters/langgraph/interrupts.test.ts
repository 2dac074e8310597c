import { describe, expect, it } from 'vitest';
import { approve, cancel, reject } from '../../content/index.ts';
import { readPlace } from './graph-place.ts';
import { toResume } from './interrupts.ts';
import type { GraphInterrupt, GraphSaver, GraphState } from './sdk.ts';

type Write = readonly [string, string, unknown];

/** A graph whose only task waits at an interrupt, after these writes. */
async function paused(interrupt: GraphInterrupt, writes: readonly Write[] = [], values: unknown = {}) {
  const state: GraphState = {
    values,
    config: { configurable: { thread_id: 't', checkpoint_ns: '' } },
    tasks: [{ id: 'task', name: 'node', interrupts: [interrupt] }],
  };
  const saver: GraphSaver = {
    putWrites: async () => undefined,
    getTuple: async ({ configurable }) =>
      configurable?.['checkpoint_ns'] === '' ? { pendingWrites: writes } : undefined,
  };
  return (await readPlace(saver, state)).waiting;
}

describe('readPlace', () => {
  it('numbers the interrupts of a task by the answers that it has had', async () => {
    const ids = [];
    for (const answers of [undefined, ['a'], ['a', 'b']]) {
      const writes: Write[] = answers === undefined ? [] : [['task', '__resume__', answers]];
      const [waiting] = await paused({ id: 'x', value: 'more?' }, writes);
      ids.push(waiting?.interrupts[0]?.id);
    }
    expect(ids).toEqual(['x-0', 'x-1', 'x-2']);
  });

  it('leaves out a task that has written its result', async () => {
    expect(await paused({ id: 'x', value: 'more?' }, [['task', 'messages', []]])).toEqual([]);
  });

  it('turns each call of the middleware into an approval with what the middleware allows', async () => {
    const calls = [
      { id: 'call-1', name: 'pay', args: { amount: 1 } },
      { id: 'call-2', name: 'pay', args: { amount: 1 } },
      { id: 'call-3', name: 'close', args: {} },
    ];
    const value = {
      actionRequests: calls.map(({ name, args }) => ({ name, args })),
      reviewConfigs: [
        { actionName: 'pay', allowedDecisions: ['approve', 'edit', 'reject'] },
        { actionName: 'close', allowedDecisions: ['approve'] },
      ],
    };
    const waiting = await paused({ id: 'x', value }, [], { messages: [{ tool_calls: calls }] });
    const interrupts = waiting[0]?.interrupts ?? [];
    expect(interrupts.map(({ id, toolCallId }) => [id, toolCallId])).toEqual([
      ['x-0-0', 'call-1'],
      ['x-0-1', 'call-2'],
      ['x-0-2', 'call-3'],
    ]);
    expect(interrupts.map(({ responseSchema }) => Object.keys(responseSchema?.['properties'] ?? {}))).toEqual(
      [
        ['approved', 'reason', 'editedArgs'],
        ['approved', 'reason', 'editedArgs'],
        ['approved', 'reason'],
      ],
    );
    const [first, second, third] = interrupts;
    const edited = { editedArgs: { amount: 2 } };
    const entries = [approve(first!, edited), reject(second!, 'over budget'), approve(third!)];
    expect(toResume(waiting, entries, {}).get('x')).toEqual({
      decisions: [
        { type: 'edit', editedAction: { name: 'pay', args: { amount: 2 } } },
        { type: 'reject', message: 'over budget' },
        { type: 'approve' },
      ],
    });
    // The middleware takes no rejection of the third call, so a cancelled one is not handed over.
    expect(toResume(waiting, [...entries.slice(0, 2), cancel(third!)], {}).size).toBe(0);
  });
});
