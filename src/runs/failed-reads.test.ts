import { describe, expect, it } from 'vitest';
import { answer } from '../content/index.ts';
import { HoldpointError } from '../core/index.ts';
import type { GenerateResponse } from '../engine/index.ts';
import { agentTool, askForFile, defineTool } from '../engine/index.ts';
import { storeGrants } from '../ledger/index.ts';
import { bound } from '../ledger/testing-support/bound-store.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';
import { defineAgent } from './define-agent.ts';

const threadId = 't';
const READS = ['get', 'list', 'read', 'snapshot'] as const;
const failure = () => new HoldpointError('STORE_FAILED', 'no route to the database');

/** A store that fails one read after it was armed: the one of this number, or the first of a table. */
function failingOnce(store: Store) {
  const state = { left: 0, table: '', failed: 0 };
  const arm = (more: { readonly left?: number; readonly table?: string }) =>
    Object.assign(state, { left: 0, table: '', failed: 0 }, more);
  const failing: Store = { ...bound(store) };
  for (const name of READS) {
    const read = failing[name] as (...given: unknown[]) => Promise<unknown>;
    const instead = async (...given: unknown[]) => {
      const isTable = state.table !== '' && given[0] === state.table;
      if (isTable || (state.left > 0 && (state.left -= 1) === 0)) {
        state.table = '';
        state.failed += 1;
        throw failure();
      }
      return read(...given);
    };
    Object.assign(failing, { [name]: instead });
  }
  return { failing, arm, state };
}

/** An agent that pays once for each message, and what the model heard. */
function payer(isInSubagent = false) {
  const paid: unknown[] = [];
  const heard: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'number' } } } as const,
    approval: true,
    idempotent: true,
    run: (_input, { idempotencyKey }) => {
      paid.push(idempotencyKey);
      return 'paid';
    },
  });
  const model = (name: string, input: object) =>
    scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user') return { calls: [{ id: `c${messages.length}`, name, input }] };
      heard.push(last?.content);
      return 'Done.';
    });
  const inner = defineAgent({ id: 'payer', model: model('pay', { amount: 3 }), tools: [pay] });
  const outer = defineAgent({
    id: 'outer',
    model: model('payer', { prompt: 'Pay.' }),
    tools: [agentTool(inner)],
  });
  return { agent: isInSubagent ? outer : inner, paid, heard };
}

describe.each([[false], [true]])(
  'a read that fails once during a run (in a subagent: %s)',
  (isInSubagent) => {
    it('fails the run with STORE_FAILED or is repeated; the model hears nothing of it, and the run continues', async () => {
      const forMe = { what: 'tool', where: 'principal' };
      let isOver = false;
      const failures: string[] = [];
      for (let left = 1; !isOver; left += 1) {
        const time = { value: 0 };
        const { failing, arm, state } = failingOnce(memoryStore({ clock: { now: () => time.value } }));
        const { agent, paid, heard } = payer(isInSubagent);
        const grants = storeGrants(failing, 'default');
        const given = { store: failing, grants, threadId, leaseMs: 60_000 };
        const attempt = async (more: object): Promise<GenerateResponse> => {
          try {
            return await agent.generate({ ...given, ...more });
          } catch (error) {
            if (!HoldpointError.is(error, 'STORE_FAILED')) throw error;
            failures.push(error.code);
            // Nothing was stored, the answer is free again, or the lease of the run has to end first.
            time.value += 120_000;
            return agent.generate({ ...given, ...more }).catch(() => agent.generate(given));
          }
        };
        const asked = await agent.generate({ ...given, prompt: 'one' });
        arm({ left });
        const resume = [answer(asked.interrupts[0]!, { approved: true, remember: forMe })];
        const first = await attempt({ resume });
        const second = await attempt({ prompt: 'two' });
        isOver = state.failed === 0;
        expect([first.finishReason, second.finishReason, left]).toEqual(['stop', 'stop', left]);
        expect([new Set(paid).size, left]).toEqual([2, left]);
        expect(new Set(heard)).toEqual(new Set(isInSubagent ? ['paid', 'Done.'] : ['paid']));
      }
      expect(failures.length).toBeGreaterThan(3);
    });
  },
);

it('grants that cannot be read fail the run over HTTP, and a person continues it', async () => {
  const { failing, arm } = failingOnce(memoryStore());
  const { agent, paid, heard } = payer();
  const test = createTestHost({ agents: [agent], store: failing, logger: false });
  const client = test.client('payer');
  const { interrupts } = await client.run({ threadId, messages: 'one' }).finished;
  const remember = { what: 'tool', where: 'thread' };
  await client.resume({ threadId }, [answer(interrupts[0]!, { approved: true, remember })]).finished;
  arm({ table: 'grants' });
  const failed = client.run({ threadId, messages: 'two' }).finished;
  await expect(failed).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect([paid.length, heard]).toEqual([1, ['paid']]);
  const { outcome } = await client.run({ threadId }).finished;
  expect([outcome, paid.length, heard]).toEqual(['success', 2, ['paid', 'paid']]);
  await test.close();
});

it('a file that cannot be read by a tool fails the run, and a person decides about the call', async () => {
  const heard: unknown[] = [];
  const state = { fails: true };
  const read = defineTool({
    name: 'read',
    description: 'Reads a file.',
    input: { type: 'object' },
    run: async (_input, ctx) => (await askForFile(ctx, 'file', { message: 'Which?' })).name,
  });
  const model = scriptedModel(({ messages }) => {
    if (messages.at(-1)?.role === 'user') return { calls: [{ name: 'read' }] };
    heard.push(messages.at(-1)?.content);
    return 'Done.';
  });
  const agent = defineAgent({ id: 'reader', model, tools: [read] });
  const info = { id: 'f', name: 'a.txt', type: 'text/plain', size: 1 };
  const files = {
    describe: async () => info,
    async read() {
      if (state.fails) throw new Error('the bucket is away');
      return { ...info, data: new Uint8Array(1) };
    },
  };
  const given = { store: memoryStore(), threadId, files };
  const asked = await agent.generate({ ...given, prompt: 'Read.' });
  const resume = [answer(asked.interrupts[0]!, { fileId: 'f' })];
  await expect(agent.generate({ ...given, resume })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(heard).toEqual([]);
  state.fails = false;
  const doubt = await agent.generate(given);
  const again = doubt.interrupts.map((part) => answer(part, { action: 'retry' }));
  const end = await agent.generate({ ...given, ...(again.length === 0 ? {} : { resume: again }) });
  expect([end.finishReason, heard]).toEqual(['stop', ['a.txt']]);
});
