import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Finished } from '../client/index.ts';
import type { ApproveOptions } from '../content/index.ts';
import { answer, approve } from '../content/index.ts';
import type { Approval, Policy, ToolContext } from '../engine/index.ts';
import { defineTool } from '../engine/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { TestHost } from '../testing/index.ts';
import { createTestHost, scriptedModel } from '../testing/index.ts';

const hosts: TestHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

interface World {
  readonly approval?: Approval<never>;
  readonly policies?: readonly Policy[];
  readonly body?: (input: unknown, ctx: ToolContext) => unknown;
  /** The arguments of the model, one for each turn of a user. */
  readonly calls: readonly object[];
}

/** A host whose model calls `pay` with the next arguments, and what the tool was given. */
function payWith(input: z.ZodType, { approval = true, policies = [], body, calls }: World) {
  const ran: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    approval: approval as Approval<unknown>,
    async run(given, ctx) {
      const result = await body?.(given, ctx);
      ran.push(given);
      return result ?? 'paid';
    },
  });
  let turn = 0;
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ name: 'pay', input: calls[turn++] }] } : 'Done.',
  );
  const agents = [defineAgent({ id: 'clerk', model, tools: [pay] })];
  const store = memoryStore();
  const secretKey = Buffer.alloc(32, 1).toString('base64');
  const test = createTestHost({ agents, policies, store, secretKey });
  hosts.push(test);
  const client = test.client('clerk');
  const ask = (threadId = 't') => client.run({ threadId, messages: 'Pay.' }).finished;
  const yes = (asked: Finished, more: ApproveOptions = {}) =>
    client.resume(
      { threadId: 't' },
      asked.interrupts.map((one) => approve(one, more)),
    ).finished;
  return { ran, ask, yes, client };
}

const metadataOf = ({ interrupts }: Finished) => interrupts[0]?.metadata;
const schemaOf = ({ interrupts }: Finished) => JSON.stringify(interrupts[0]?.responseSchema);

it('shows the arguments that run, and members that the schema drops as dropped', async () => {
  const given = { to: 'EVE', amount: 1_000_000, currency: 'JPY', note: { text: 'hi', hidden: true } };
  const input = z.object({ to: z.string(), amount: z.number(), note: z.object({ text: z.string() }) });
  const { ran, ask, yes, client } = payWith(input, { calls: [given] });
  const asked = await ask();
  const shown = { to: 'EVE', amount: 1_000_000, note: { text: 'hi' } };
  expect(metadataOf(asked)).toMatchObject({
    functionArguments: shown,
    schemaEffect: { dropped: { '/currency': 'JPY', '/note/hidden': true } },
  });
  expect(metadataOf(asked)?.['functionArguments']).toEqual(shown);
  const { interrupts } = await client.inbox.list();
  expect(interrupts[0]?.interrupt.metadata).toEqual(metadataOf(asked));
  await yes(asked);
  expect(ran).toEqual([shown]);
});

it('shows, edits and runs coerced values, and writes the title from them', async () => {
  const input = z.object({ amount: z.coerce.number(), to: z.string().default('ANA') });
  const approval = { editable: true, message: (given: unknown) => `Pay ${JSON.stringify(given)}?` };
  const { ran, ask, yes } = payWith(input, {
    approval,
    calls: [{ amount: '0x989680' }],
  });
  const asked = await ask();
  const shown = { amount: 10_000_000, to: 'ANA' };
  expect(asked.interrupts[0]?.message).toBe(`Pay ${JSON.stringify(shown)}?`);
  expect(metadataOf(asked)).toMatchObject({ functionArguments: shown });
  expect(metadataOf(asked)).not.toHaveProperty('schemaEffect');
  await yes(asked, { editedArgs: { amount: 7 } });
  expect(ran).toEqual([{ amount: 7, to: 'ANA' }]);
});

it('evaluates a default once for policy, card, grant and body', async () => {
  let made = 0;
  const seen: unknown[] = [];
  const input = z.object({ key: z.string().default(() => `k${(made += 1)}`) });
  const policies: Policy[] = [({ input: given }) => void seen.push(given)];
  const { ran, ask, yes } = payWith(input, { policies, calls: [{}, {}, { key: 'k1' }] });
  // The JSON Schema has the default too.
  made = 0;
  const asked = await ask();
  expect(metadataOf(asked)).toMatchObject({ functionArguments: { key: 'k1' } });
  await yes(asked, { remember: { what: 'arguments', where: 'thread' } });
  expect([...seen, ...ran]).toEqual([{ key: 'k1' }, { key: 'k1' }, { key: 'k1' }]);
  // Another value of the default is not what the grant allows.
  const other = await ask();
  expect(metadataOf(other)).toMatchObject({ functionArguments: { key: 'k2' } });
  await yes(other);
  expect((await ask()).outcome).toBe('success');
  expect(ran).toEqual([{ key: 'k1' }, { key: 'k2' }, { key: 'k1' }]);
});

it('shows the arguments of the model with a note if the tool converts them, and offers no grant for them', async () => {
  let parsed = 0;
  const input = z.object({
    at: z.string().transform((text) => {
      parsed += 1;
      return new Date(text);
    }),
  });
  const given = { at: '2026-01-01T00:00:00.000Z', urgent: true };
  const { ran, ask, yes } = payWith(input, { calls: [given] });
  const asked = await ask();
  expect(metadataOf(asked)).toMatchObject({
    functionArguments: given,
    schemaEffect: { converted: true, dropped: { '/urgent': true } },
  });
  expect(schemaOf(asked)).toContain('"enum":["tool"]');
  const before = parsed;
  await yes(asked);
  expect(ran).toEqual([{ at: new Date(given.at) }]);
  expect(parsed - before).toBe(1);
});

it('shows what runs also if the model writes a member that looks like the marker of a secret', async () => {
  const given = { to: 'EVE', currency: { $secret: 'q/0' } };
  const { ran, ask, yes } = payWith(z.object({ to: z.string() }), { calls: [given] });
  const asked = await ask();
  expect(metadataOf(asked)?.['functionArguments']).toEqual({ to: 'EVE' });
  await yes(asked);
  expect(ran).toEqual([{ to: 'EVE' }]);
});

it('does not call a member that the schema renames dropped', async () => {
  const input = z.object({ cents: z.number() }).transform(({ cents }) => ({ amount: cents / 100 }));
  const { ran, ask, yes } = payWith(input, { calls: [{ cents: 500 }] });
  const asked = await ask();
  expect(metadataOf(asked)?.['schemaEffect']).toEqual({ converted: true });
  expect(metadataOf(asked)?.['functionArguments']).toEqual({ cents: 500 });
  await yes(asked);
  expect(ran).toEqual([{ amount: 5 }]);
});

it('keeps the arguments of a body that waits, and shows them with its question', async () => {
  let made = 0;
  const seen: unknown[] = [];
  const input = z.object({ key: z.string().default(() => `k${(made += 1)}`) });
  const { ask, client } = payWith(input, {
    approval: false,
    calls: [{ other: 1 }],
    body: (given, ctx) => {
      seen.push(given);
      return ctx.ask('sure', { message: 'Sure?', schema: z.string() });
    },
  });
  made = 0;
  const asked = await ask();
  expect(metadataOf(asked)).toMatchObject({
    toolInput: { key: 'k1' },
    schemaEffect: { dropped: { '/other': 1 } },
  });
  const resume = asked.interrupts.map((one) => answer(one, 'yes'));
  await client.resume({ threadId: 't' }, resume).finished;
  expect(seen).toEqual([{ key: 'k1' }, { key: 'k1' }]);
});

it('asks again if the schema reads the approved arguments otherwise when the answer arrives', async () => {
  const store = memoryStore();
  const ran: unknown[] = [];
  const hostOf = (input: z.ZodType) => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input,
      approval: true,
      run: (given) => ran.push(given),
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ name: 'pay', input: { amount: 5 } }] } : 'Done.',
    );
    const test = createTestHost({ agents: [defineAgent({ id: 'clerk', model, tools: [pay] })], store });
    hosts.push(test);
    return test.client('clerk');
  };
  const before = hostOf(z.object({ amount: z.number() }));
  const asked = await before.run({ threadId: 't', messages: 'Pay.' }).finished;
  const after = hostOf(z.object({ amount: z.number(), urgent: z.boolean().default(true) }));
  const again = await after.resume({ threadId: 't' }, [approve(asked.interrupts[0]!)]).finished;
  expect(ran).toEqual([]);
  expect(metadataOf(again)).toMatchObject({
    functionArguments: { amount: 5, urgent: true },
    supersedes: asked.interrupts[0]!.id,
    description: expect.stringContaining('The schema of pay changed'),
  });
  await after.resume({ threadId: 't' }, [approve(again.interrupts[0]!)]).finished;
  expect(ran).toEqual([{ amount: 5, urgent: true }]);
});
