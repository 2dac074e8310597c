import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { answer } from '../content/index.ts';
import type { Grant, GrantedCall, Grants } from '../content/interrupts/index.ts';
import { defineTool, memoryGrants } from '../engine/index.ts';
import { storeGrants } from '../ledger/index.ts';
import type { Store } from '../store/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { defineAgent } from './define-agent.ts';

const STORES: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore(':memory:')],
];
const call = { agent: 'a', toolName: 'send', input: {}, threadId: 't', askers: ['ana'] };
const allows = async (grants: Grants, asked: GrantedCall) => (await grants.find(asked)).length > 0;

describe.each(STORES)('grants in the store %s', (_name, create) => {
  it('apply in another process, in their scope only, until they are revoked', async () => {
    const store = create();
    const grants = storeGrants(store, 's');
    await grants.add({ agent: 'a', toolName: 'send', principalId: 'ana' });
    await grants.add({ agent: 'a', toolName: 'send', principalId: 'ana' });
    const other = storeGrants(store, 's');
    expect(await allows(other, call)).toBe(true);
    expect(await allows(other, { ...call, askers: ['bob'] })).toBe(false);
    expect(await allows(other, { ...call, askers: ['ana', 'bob'] })).toBe(false);
    expect(await allows(storeGrants(store, 'elsewhere'), call)).toBe(false);
    const listed = await other.list();
    expect(listed).toMatchObject([{ agent: 'a', approvers: {}, toolName: 'send', principalId: 'ana' }]);
    expect(await other.revoke(listed[0]!.id)).toBe(true);
    expect(await other.revoke(listed[0]!.id)).toBe(false);
    expect(await allows(grants, call)).toBe(false);
    await grants.add({ agent: 'a', toolName: 'send', threadId: 'a/thread' });
    expect(await grants.revoke((await grants.list())[0]!.id)).toBe(true);
    expect(await grants.list()).toEqual([]);
  });

  it('grants with empty arguments do not match other arguments', async () => {
    const grants = storeGrants(create(), 's');
    await grants.add({ agent: 'a', toolName: 'send', input: {} });
    expect(await allows(grants, call)).toBe(true);
    expect(await allows(grants, { ...call, input: { to: 'eve' } })).toBe(false);
  });

  it('an answer gives its grant once, also after the grant was revoked', async () => {
    const grants = storeGrants(create(), 's');
    const given = { agent: 'a', toolName: 'send', interruptId: 'i1' };
    await grants.add(given);
    const [{ id } = { id: '' }] = await grants.find(call);
    expect(await grants.use(id, undefined)).toBe(true);
    await grants.add(given);
    expect(await grants.list()).toMatchObject([{ used: 1 }]);
    await grants.revoke(id);
    await grants.add(given);
    expect(await grants.find(call)).toEqual([]);
    await grants.add({ ...given, interruptId: 'i2' });
    expect(await grants.list()).toMatchObject([{ used: 0 }]);
  });

  it('grants end at their time, after their uses and with their total', async () => {
    const grants = storeGrants(create(), 's');
    const use = async (amount?: number) => {
      const [found] = await grants.find({ ...call, amount });
      return found !== undefined && (await grants.use(found.id, amount));
    };
    await grants.add({ agent: 'a', toolName: 'send', maxUses: 2 });
    expect([await use(), await use(), await use()]).toEqual([true, true, false]);
    await grants.add({ agent: 'a', toolName: 'send', maxTotal: 10 });
    expect([await use(6), await use(5), await use(-5), await use(), await use(4)]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    await grants.add({ agent: 'a', toolName: 'send', until: 1 });
    expect(await use()).toBe(false);
    const [ended] = await grants.list();
    expect(await grants.use(ended!.id, undefined)).toBe(false);
  });

  it('grants are listed in the order of creation', async () => {
    const grants = storeGrants(create(), 's');
    const names = Array.from({ length: 120 }, (_, index) => `tool ${index}`);
    for (const toolName of names) await grants.add({ agent: 'a', toolName });
    expect((await grants.list()).map(({ toolName }) => toolName)).toEqual(names);
  });

  it('allow the same calls as grants in memory', async () => {
    const some = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const grant = fc
      .record({
        agent: fc.constantFrom('a', 'b'),
        approvers: some(
          {},
          { roles: ['x', 'y'] },
          { roles: ['y', 'x', 'x'] },
          { roles: ['x'], notAsker: true },
        ),
        toolName: fc.constantFrom('send', 'pay'),
        input: some<unknown>({}, { a: 1, b: 2 }, null),
        threadId: some('t', 'u'),
        principalId: some('ana', 'bob'),
      })
      .map((given) => JSON.parse(JSON.stringify(given)) as Grant);
    const calls = fc.record({
      agent: fc.constantFrom('a', 'b'),
      approvers: some({}, { roles: ['y', 'x'] }, { roles: ['x'], notAsker: true }),
      toolName: fc.constantFrom('send', 'pay'),
      input: fc.constantFrom<unknown>({}, { b: 2, a: 1 }, null),
      threadId: fc.constantFrom('t', 'u'),
      askers: fc.constantFrom([], ['ana'], ['bob'], ['ana', 'bob']),
    });
    const property = fc.asyncProperty(fc.array(grant, { maxLength: 3 }), calls, async (given, asked) => {
      const kept = storeGrants(create(), 's');
      const inMemory = memoryGrants();
      for (const one of given) await Promise.all([kept.add(one), inMemory.add(one)]);
      expect(await allows(kept, asked)).toBe(await allows(inMemory, asked));
    });
    await fc.assert(property, { numRuns: runs(15) });
  });

  it('allow a call after an answer with remember', async () => {
    const store = create();
    const tool = defineTool({
      name: 'send',
      description: '',
      input: { type: 'object' },
      approval: true,
      run: () => 'sent',
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ name: 'send' }] } : 'Done.',
    );
    const agent = defineAgent({ id: 'a', model, tools: [tool] });
    const given = { store, threadId: 't', grants: storeGrants(store, 'default') };
    const paused = await agent.generate({ ...given, prompt: 'one' });
    const remember = { what: 'tool', where: 'thread' };
    await agent.generate({ ...given, resume: [answer(paused.interrupts[0]!, { approved: true, remember })] });
    expect((await agent.generate({ ...given, prompt: 'two' })).text).toBe('Done.');
    expect((await agent.generate({ ...given, threadId: 'other', prompt: 'x' })).finishReason).toBe(
      'interrupted',
    );
  });
});
