import { describe, expect, it } from 'vitest';
import { answer, approve } from '../content/index.ts';
import type { Approvers } from '../content/interrupts/index.ts';
import type { JsonSchemaObject } from '../core/schema/index.ts';
import type { Approval, GenerateResponse, Policy, ToolContext } from '../engine/index.ts';
import { defineTool, memoryGrants } from '../engine/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { GenerateOptions } from './define-agent.ts';
import { defineAgent } from './define-agent.ts';

interface Payment {
  amount: number;
}

const scope = 'default';
const ana = { id: 'ana', scope };
const bob = { id: 'bob', scope };
const boss = { id: 'boss', scope, roles: ['boss'] };
const chief = { id: 'chief', scope, roles: ['boss'] };
const approvers: Approvers = { roles: ['boss'], notAsker: true };
const bosses: Approvers = { roles: ['boss'] };
const forbidden = { code: 'ANSWER_FORBIDDEN' };
const unchangeable = { code: 'ANSWER_INVALID', issues: [{ pointer: '/editedArgs' }] };

const STORES: readonly (readonly [string, (clock: { now(): number }) => Store])[] = [
  ['memory', (clock) => memoryStore({ clock })],
  ['sqlite', (clock) => sqliteStore(':memory:', { clock })],
];

type Body = (input: Payment, ctx: ToolContext) => unknown;

interface WorldOptions extends Pick<GenerateOptions, 'policies' | 'grants'> {
  readonly body?: Body;
  readonly version?: () => string;
  /** The schema of the answer to the body. */
  readonly answer?: JsonSchemaObject;
}

/** A model that pays 1, and a tool that fails until it is repaired. */
function payments(
  create: (clock: { now(): number }) => Store,
  approval: Approval<Payment> | undefined,
  { body, version, answer: resume, ...rest }: WorldOptions = {},
) {
  const time = { value: 0 };
  const paid: unknown[] = [];
  const bank = { fails: true, hangs: false };
  const agent = () => {
    const pay = defineTool<{ type: 'object' }, unknown>({
      name: 'pay',
      description: 'pays',
      input: { type: 'object', properties: { amount: { type: 'number' } } } as { type: 'object' },
      onError: 'interrupt',
      ...(approval === undefined ? {} : { approval: approval as Approval<unknown> }),
      ...(resume === undefined ? {} : { resume }),
      ...(version === undefined ? {} : { version: version() }),
      async run(given, ctx) {
        const input = given as Payment;
        await body?.(input, ctx);
        paid.push({ ...input, by: ctx.approvedBy?.id });
        if (bank.hangs) await new Promise(() => undefined);
        if (bank.fails) throw new Error('no line');
        return 'paid';
      },
    });
    const call = { calls: [{ id: 'c', name: 'pay', input: { amount: 1 } }] };
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? call : 'Done.'));
    return defineAgent({ id: 'a', model, tools: [pay] });
  };
  const given = { store: create({ now: () => time.value }), threadId: 't', leaseMs: 60_000, ...rest };
  const run = (more: Partial<GenerateOptions>) => agent().generate({ ...given, ...more });
  return { run, paid, bank, time, given };
}

const entry = (asked: GenerateResponse, payload: unknown) => [answer(asked.interrupts[0]!, payload)];
const offered = (asked: GenerateResponse) =>
  Object.keys((asked.interrupts[0]?.interrupt.responseSchema?.['properties'] ?? {}) as object);
const edit = { action: 'retry', editedArgs: { amount: 1_000_000 } };
const again = { action: 'retry' };

describe.each(STORES)('an approval with edited arguments, on the store %s', (_name, create) => {
  const policies: Policy[] = [
    ({ input }) => ({
      decision: 'ask',
      approvers: { roles: [(input as Payment).amount > 100 ? 'boss' : 'clerk'] },
    }),
  ];
  const clerk = { id: 'clerk', scope, roles: ['clerk'] };

  it('an approval with edited arguments asks again if a policy names other approvers for them', async () => {
    const { run, paid, bank } = payments(create, { editable: true }, { policies });
    bank.fails = false;
    const asked = await run({ prompt: 'pay', principal: ana });
    const editedArgs = { amount: 1_000_000 };
    const yes = approve(asked.interrupts[0]!, { editedArgs });
    const held = await run({ resume: [yes], principal: clerk });
    expect([held.interrupts[0]?.input, paid]).toEqual([editedArgs, []]);
    const again = [approve(held.interrupts[0]!)];
    await expect(run({ resume: again, principal: clerk })).rejects.toMatchObject(forbidden);
    await run({ resume: again, principal: boss });
    expect(paid).toEqual([{ ...editedArgs, by: 'boss' }]);
  });

  it('an approval with edited arguments counts if the same approvers decide about them', async () => {
    const { run, paid, bank } = payments(create, { editable: true }, { policies });
    bank.fails = false;
    const asked = await run({ prompt: 'pay', principal: ana });
    await run({ resume: [approve(asked.interrupts[0]!, { editedArgs: { amount: 7 } })], principal: clerk });
    expect(paid).toEqual([{ amount: 7, by: 'clerk' }]);
  });
});

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(STORES)('a call that failed after its approval, on the store %s', (_name, create) => {
  /** Ana asks, the boss approves 1, and the call fails. */
  const failed = async (approval: Approval<Payment>, options: WorldOptions = {}) => {
    const world = payments(create, approval, options);
    const asked = await world.run({ prompt: 'pay', principal: ana });
    const yes = approve(asked.interrupts[0]!, { confirmation: 'pay' });
    const trouble = await world.run({ resume: [yes], principal: boss });
    world.bank.fails = false;
    expect(trouble.interrupts[0]?.interrupt.reason).toBe('error_recovery');
    return { ...world, trouble };
  };

  it('a call that failed after its approval is decided only by its approvers', async () => {
    const { run, trouble, paid } = await failed({ approvers });
    for (const principal of [ana, bob]) {
      for (const payload of [edit, again, { action: 'skip', result: 'paid' }, { action: 'abort' }]) {
        await expect(run({ resume: entry(trouble, payload), principal })).rejects.toMatchObject(forbidden);
      }
    }
    expect(paid).toHaveLength(1);
    expect((await run({ resume: entry(trouble, again), principal: chief })).text).toBe('Done.');
    expect(paid[1]).toEqual({ amount: 1, by: 'boss' });
  });

  it('keeps its arguments unless the approval was editable', async () => {
    const { run, trouble, paid } = await failed({ approvers });
    expect(offered(trouble)).toEqual(['action', 'result']);
    await expect(run({ resume: entry(trouble, edit), principal: boss })).rejects.toMatchObject(unchangeable);
    expect(paid).toHaveLength(1);
  });

  it('a call that failed after its approval needs a new approval for other arguments, by its approvers', async () => {
    const { run, trouble, paid } = await failed({ approvers, editable: true, confirmation: 'pay' });
    expect(offered(trouble)).toContain('editedArgs');
    await expect(run({ resume: entry(trouble, edit), principal: ana })).rejects.toMatchObject(forbidden);
    const asked = await run({ resume: entry(trouble, edit), principal: boss });
    expect(paid).toHaveLength(1);
    expect(asked.interrupts[0]).toMatchObject({
      kind: 'approval',
      interrupt: { metadata: { functionArguments: { amount: 1_000_000 }, confirmation: 'pay' } },
    });
    const yes = [approve(asked.interrupts[0]!, { confirmation: 'pay' })];
    for (const principal of [ana, bob]) {
      await expect(run({ resume: yes, principal })).rejects.toMatchObject(forbidden);
    }
    const unsaid = [approve(asked.interrupts[0]!)];
    await expect(run({ resume: unsaid, principal: chief })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
    expect((await run({ resume: yes, principal: chief })).text).toBe('Done.');
    expect(paid[1]).toEqual({ amount: 1_000_000, by: 'chief' });
  });

  it('a call that failed after its approval needs a new approval even if a rule would allow the new arguments', async () => {
    const approval: Approval<Payment> = { approvers, editable: true, when: ({ amount }) => amount === 1 };
    const { run, trouble, paid } = await failed(approval);
    const asked = await run({ resume: entry(trouble, edit), principal: chief });
    expect(asked.interrupts[0]?.kind).toBe('approval');
    expect(paid).toHaveLength(1);
  });

  it('keeps its asker, not its approver, as the asker', async () => {
    const world = payments(create, { approvers: { notAsker: true } });
    const asked = await world.run({ prompt: 'pay', principal: ana });
    const trouble = await world.run({ resume: [approve(asked.interrupts[0]!)], principal: bob });
    world.bank.fails = false;
    await expect(world.run({ resume: entry(trouble, again), principal: ana })).rejects.toMatchObject(
      forbidden,
    );
    expect((await world.run({ resume: entry(trouble, again), principal: bob })).text).toBe('Done.');
    // The author of a new message is an asker too.
    const next = await world.run({ prompt: 'more', principal: bob });
    await expect(world.run({ resume: [approve(next.interrupts[0]!)], principal: bob })).rejects.toMatchObject(
      forbidden,
    );
    expect((await world.run({ resume: [approve(next.interrupts[0]!)], principal: ana })).text).toBe('Done.');
  });

  it('keeps its arguments if a policy held it', async () => {
    const { run, trouble, paid } = await failed(false, { policies: [() => 'ask'] });
    expect(offered(trouble)).toEqual(['action', 'result']);
    await expect(run({ resume: entry(trouble, edit), principal: bob })).rejects.toMatchObject(unchangeable);
    await run({ resume: entry(trouble, again), principal: bob });
    expect(paid[1]).toEqual({ amount: 1, by: 'boss' });
  });

  it('a call that failed after its approval needs a new approval if the answer to its body has other arguments', async () => {
    const schema = { type: 'object', properties: { editedArgs: { type: 'object' } } };
    const body: Body = (_input, ctx) =>
      ctx.resumed === undefined || 'approved' in (ctx.resumed as object) ? ctx.interrupt() : 1;
    const world = payments(create, { approvers }, { body, answer: schema });
    const { run, paid, bank } = world;
    bank.fails = false;
    const asked = await run({ prompt: 'pay', principal: ana });
    const sure = await run({ resume: [approve(asked.interrupts[0]!)], principal: boss });
    expect(sure.interrupts[0]?.kind).toBe('restart');
    const edited = await run({ resume: entry(sure, { editedArgs: { amount: 5 } }), principal: ana });
    expect(edited.interrupts[0]).toMatchObject({ kind: 'approval', input: { amount: 5 } });
    await expect(run({ resume: [approve(edited.interrupts[0]!)], principal: ana })).rejects.toMatchObject(
      forbidden,
    );
    const sureAgain = await run({ resume: [approve(edited.interrupts[0]!)], principal: chief });
    await run({ resume: entry(sureAgain, {}), principal: ana });
    expect(paid).toEqual([{ amount: 5, by: 'chief' }]);
  });

  it('a call that failed after its approval is decided by its approvers if its body was changed meanwhile', async () => {
    let version = '1';
    const body: Body = (_input, ctx) => ctx.ask('sure', {});
    const world = payments(create, { approvers }, { body, version: () => version });
    const asked = await world.run({ prompt: 'pay', principal: ana });
    const sure = await world.run({ resume: [approve(asked.interrupts[0]!)], principal: boss });
    version = '2';
    const trouble = await world.run({ resume: entry(sure, 'yes'), principal: ana });
    expect(trouble.interrupts[0]?.metadata).toMatchObject({ code: 'JOURNAL_MISMATCH' });
    const restart = entry(trouble, { action: 'restart' });
    await expect(world.run({ resume: restart, principal: ana })).rejects.toMatchObject(forbidden);
  });
});

describe.each(STORES)('a call that failed without an approval, on the store %s', (_name, create) => {
  const failed = async (approval: Approval<Payment> | undefined, options: WorldOptions = {}) => {
    const world = payments(create, approval, options);
    const trouble = await world.run({ prompt: 'pay', principal: ana });
    world.bank.fails = false;
    return { ...world, trouble };
  };

  it('runs with other arguments and has no approver', async () => {
    const { run, trouble, paid } = await failed(undefined);
    await run({ resume: entry(trouble, edit), principal: bob });
    expect(paid[1]).toEqual({ amount: 1_000_000, by: undefined });
  });

  it('a call that failed without an approval needs an approval if its new arguments do', async () => {
    const { run, trouble, paid } = await failed({ approvers, when: ({ amount }) => amount > 1 });
    const asked = await run({ resume: entry(trouble, edit), principal: ana });
    expect(asked.interrupts[0]?.kind).toBe('approval');
    const yes = [approve(asked.interrupts[0]!)];
    await expect(run({ resume: yes, principal: ana })).rejects.toMatchObject(forbidden);
    await run({ resume: yes, principal: boss });
    expect(paid[1]).toEqual({ amount: 1_000_000, by: 'boss' });
  });

  it('does not run with arguments that a policy forbids', async () => {
    const policies: Policy[] = [({ input }) => ((input as Payment).amount > 1 ? 'deny' : 'allow')];
    const { run, trouble, paid } = await failed(undefined, { policies });
    const end = await run({ resume: entry(trouble, edit), principal: bob });
    expect(end.messages.findLast(({ role }) => role === 'tool')?.content).toContain('does not allow');
    expect(paid).toHaveLength(1);
  });

  it('a call that failed without an approval is decided like an approved call if a grant allowed it', async () => {
    const grants = memoryGrants();
    await grants.add({ agent: 'a', approvers: bosses, toolName: 'pay', input: { amount: 1 } });
    const fixed = await failed({ approvers: bosses }, { grants });
    expect(offered(fixed.trouble)).toEqual(['action', 'result']);
    await expect(fixed.run({ resume: entry(fixed.trouble, again), principal: ana })).rejects.toMatchObject(
      forbidden,
    );
    const { run, trouble, paid } = await failed({ approvers: bosses, editable: true }, { grants });
    const asked = await run({ resume: entry(trouble, edit), principal: boss });
    expect(asked.interrupts[0]?.kind).toBe('approval');
    expect(paid).toHaveLength(1);
  });

  it('a call that failed without an approval needs an approval if the answer to its body has arguments that need one', async () => {
    const schema = { type: 'object', properties: { editedArgs: { type: 'object' } } };
    const body: Body = (_input, ctx) => ctx.resumed ?? ctx.interrupt();
    const approval: Approval<Payment> = { approvers, when: ({ amount }) => amount > 100 };
    const { run, paid, trouble } = await failed(approval, { body, answer: schema });
    await run({ resume: entry(trouble, { editedArgs: { amount: 5 } }), principal: ana });
    expect(paid).toEqual([{ amount: 5, by: undefined }]);
    const sure = await run({ prompt: 'pay', principal: ana });
    const asked = await run({ resume: entry(sure, { editedArgs: { amount: 500 } }), principal: ana });
    expect(asked.interrupts[0]).toMatchObject({ kind: 'approval', input: { amount: 500 } });
    await expect(run({ resume: [approve(asked.interrupts[0]!)], principal: ana })).rejects.toMatchObject(
      forbidden,
    );
    expect(paid).toHaveLength(1);
  });

  it.each<[string, Body]>([
    ['ctx.ask', (_input, ctx) => ctx.ask('sure', { approvers })],
    ['ctx.interrupt', (_input, ctx) => ctx.resumed ?? ctx.interrupt({ approvers })],
  ])('keeps the answer and the approvers of %s', async (_how, body) => {
    const { run, trouble: sure, bank, paid } = await failed(undefined, { body });
    bank.fails = true;
    await expect(run({ resume: entry(sure, 'yes'), principal: ana })).rejects.toMatchObject(forbidden);
    const trouble = await run({ resume: entry(sure, 'yes'), principal: boss });
    bank.fails = false;
    expect(offered(trouble)).toEqual(['action', 'result']);
    await expect(run({ resume: entry(trouble, again), principal: ana })).rejects.toMatchObject(forbidden);
    await expect(run({ resume: entry(trouble, edit), principal: boss })).rejects.toMatchObject(unchangeable);
    await run({ resume: entry(trouble, again), principal: chief });
    expect(paid).toHaveLength(2);
  });
});

describe.each(STORES)('a call in doubt, on the store %s', (_name, create) => {
  /** The process dies while the tool runs. */
  const lost = async (world: ReturnType<typeof payments>, last: Partial<GenerateOptions>) => {
    world.bank.hangs = true;
    void world.run(last).catch(() => undefined);
    await until(() => world.paid.length === 1);
    world.time.value += 120_000;
    world.bank.hangs = false;
    world.bank.fails = false;
    return world.run({ principal: ana });
  };

  it('a call in doubt is decided by its approvers', async () => {
    const world = payments(create, { approvers });
    const asked = await world.run({ prompt: 'pay', principal: ana });
    const doubt = await lost(world, { resume: [approve(asked.interrupts[0]!)], principal: boss });
    expect(offered(doubt)).toEqual(['action', 'result']);
    const { run, paid } = world;
    for (const payload of [edit, again, { action: 'finished', result: 'paid' }]) {
      await expect(run({ resume: entry(doubt, payload), principal: ana })).rejects.toMatchObject(forbidden);
    }
    await expect(run({ resume: entry(doubt, edit), principal: boss })).rejects.toMatchObject(unchangeable);
    await run({ resume: entry(doubt, again), principal: chief });
    expect(paid[1]).toEqual({ amount: 1, by: 'boss' });
  });

  it('a call in doubt is decided by its approvers also if a grant allowed it', async () => {
    const grants = memoryGrants();
    await grants.add({ agent: 'a', approvers: bosses, toolName: 'pay' });
    const world = payments(create, { approvers: bosses }, { grants });
    const doubt = await lost(world, { prompt: 'pay', principal: ana });
    expect(offered(doubt)).toEqual(['action', 'result']);
    await expect(world.run({ resume: entry(doubt, again), principal: ana })).rejects.toMatchObject(forbidden);
  });

  it('keeps its arguments if only one step is in doubt', async () => {
    const { time, run, paid, bank } = payments(create, undefined, {
      body: (_input, ctx) =>
        ctx.step('send', () => (paid.push('step'), bank.hangs ? new Promise(() => undefined) : 'sent')),
    });
    const doubt = await lost({ time, run, paid, bank } as ReturnType<typeof payments>, {
      prompt: 'pay',
      principal: ana,
    });
    expect(offered(doubt)).toEqual(['action', 'result']);
    await expect(run({ resume: entry(doubt, edit), principal: ana })).rejects.toMatchObject(unchangeable);
  });
});
