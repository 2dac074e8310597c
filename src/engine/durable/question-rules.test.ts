import { describe, expect, it } from 'vitest';
import { answer, approve } from '../../content/index.ts';
import { expireDue, listQuestions, openQuestions } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { defineAgent, defineInterrupt, defineTool } from '../index.ts';
import type { Tool } from '../index.ts';

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const input = { type: 'object' } as const;
const describeTool = (name: string) => ({ name, description: name, input });

function agentOf(tools: readonly Tool[]) {
  const first = { calls: tools.map(({ name }) => ({ id: `${name}-call`, name })) };
  const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? first : 'Done.'));
  return defineAgent({ id: 'a', tools, model });
}

const approved = defineTool({ ...describeTool('approved'), approval: true, run: () => 'ok' });
const asks = defineTool({ ...describeTool('asks'), run: (_input, ctx) => ctx.ask('name', {}) });
const restarts = defineTool({
  ...describeTool('restarts'),
  run: (_input, ctx) => (ctx.resumed === undefined ? ctx.interrupt() : 'ok'),
});
const responds = defineInterrupt({ ...describeTool('responds'), response: {} });

const STORES: readonly (readonly [string, (clock: { now(): number }) => Store])[] = [
  ['memory', (clock) => memoryStore({ clock })],
  ['sqlite', (clock) => sqliteStore(':memory:', { clock })],
];

describe.each(STORES)('questions that have a rule in common, over the store %s', (_name, create) => {
  const setUp = () => {
    const time = { value: 0 };
    const clock = { now: () => time.value };
    return { time, given: { store: create(clock), threadId, clock } };
  };

  it('expire after the time that all have, unless they say otherwise', async () => {
    const { given } = setUp();
    const late = defineTool({
      ...describeTool('late'),
      run: (_input, ctx) => ctx.ask('name', { expiresAt: new Date(9000).toISOString() }),
    });
    const soon = defineTool({ ...describeTool('soon'), approval: { expiresIn: 10 }, run: () => 'ok' });
    const tools = [approved, asks, restarts, responds, late, soon];
    const paused = await agentOf(tools).generate({ ...given, prompt: 'go', questionTtlMs: 1000 });
    const times = paused.interrupts.map(({ interrupt }) => Date.parse(interrupt.expiresAt ?? ''));
    expect(times).toEqual([1000, 1000, 1000, 1000, 9000, 10]);
    const without = await agentOf(tools).generate({ ...given, threadId: 'other', prompt: 'go' });
    expect(without.interrupts.map(({ interrupt }) => interrupt.expiresAt !== undefined)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('are denied when nobody answered, where that can be, and cancelled where it cannot', async () => {
    const { given, time } = setUp();
    const kept = defineTool({
      ...describeTool('kept'),
      run: (_input, ctx) => ctx.ask('name', { onExpire: 'keep' }),
    });
    const options = { ...given, questionTtlMs: 1000, onExpire: 'deny' as const };
    await agentOf([approved, asks, kept]).generate({ ...options, prompt: 'go' });
    time.value = 1000;
    expect(await expireDue(given.store)).toBe(3);
    const { questions } = await listQuestions(given.store, { scope: 'default' });
    expect(questions.map(({ state, answer: by }) => [state, by?.status, by?.payload])).toEqual([
      ['answered', 'resolved', { approved: false, reason: 'Nobody answered in time.' }],
      ['answered', 'cancelled', undefined],
      ['expired', undefined, undefined],
    ]);
  });

  it('are refused beyond a quota, and the turn goes on when there is room again', async () => {
    const { given } = setUp();
    const options = { ...given, quotas: { maxOpenQuestions: 1 } };
    const first = await agentOf([approved]).generate({ ...options, prompt: 'go' });
    const other = { ...options, threadId: 'other' };
    await expect(agentOf([asks]).generate({ ...other, prompt: 'go' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect(await openQuestions(given.store, key)).toHaveLength(1);
    await agentOf([approved]).generate({ ...options, resume: [approve(first.interrupts[0]!)] });
    const second = await agentOf([asks]).generate(other);
    expect(second.interrupts).toHaveLength(1);
    const end = await agentOf([asks]).generate({ ...other, resume: [answer(second.interrupts[0]!, 'x')] });
    expect(end.text).toBe('Done.');
  });
});
