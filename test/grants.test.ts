import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approval, GenerateOptions } from 'holdpoint';
import { answer, defineAgent, defineTool, storeGrants } from 'holdpoint';
import { readHistory, verifyHistory } from 'holdpoint/ledger';
import type { Store } from 'holdpoint';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { listInterrupts } from '../src/ledger/testing-support/as-operator.ts';
import { bound } from '../src/ledger/testing-support/bound-store.ts';
import { createDatabase } from './postgres/create-database.ts';

const STORES: readonly (readonly [string, () => Promise<Store> | Store])[] = [
  ['sqlite', () => sqliteStore(':memory:')],
  ['postgres', async () => postgresStore(await createDatabase())],
];
const scope = 'default';
const ana = { id: 'ana', scope };
const bob = { id: 'bob', scope };

describe.each(STORES)('grants on %s', (_name, create) => {
  let store: Store;
  beforeAll(async () => {
    store = await create();
  });
  afterAll(() => store.close());

  /** An agent of its own name that pays 3 whenever it is asked, and what it paid. */
  function payer(name: string, approval: Approval<{ amount: number }> = true, version?: string) {
    const paid: string[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object', properties: { amount: { type: 'number' } } } as const,
      approval: approval as Approval<unknown>,
      ...(version === undefined ? {} : { version }),
      run: (_input, { threadId }) => {
        paid.push(threadId);
        return 'paid';
      },
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ name: 'pay', input: { amount: 3 } }] } : 'Done.',
    );
    const agent = defineAgent({ id: name, model, tools: [pay] });
    const grants = storeGrants(store, scope);
    const run = (threadId: string, more: Partial<GenerateOptions> = {}) =>
      agent.generate({ store, threadId: `${name} ${threadId}`, grants, principal: ana, ...more });
    const ask = async (threadId: string, more: Partial<GenerateOptions> = {}) =>
      (await run(threadId, { prompt: 'Pay.', ...more })).finishReason;
    /** Asks on a thread and approves with `remember`. */
    const allow = async (threadId: string, remember: object, more: Partial<GenerateOptions> = {}) => {
      const asked = await run(threadId, { prompt: 'Pay.' });
      return run(threadId, { resume: [answer(asked.interrupts[0]!, { approved: true, remember })], ...more });
    };
    const own = async () => (await grants.list()).filter((grant) => grant.agent === name);
    return { run, ask, allow, paid, grants, own };
  }
  const forMe = { what: 'tool', where: 'principal' };

  it('a grant for me belongs to the person who answers, and covers only calls that this person asks for', async () => {
    const { ask, allow, own } = payer('for me');
    await allow('first', forMe, { principal: bob });
    expect(await own()).toMatchObject([{ principalId: 'bob', givenBy: 'bob', used: 0 }]);
    expect(await ask('second')).toBe('interrupted');
    expect(await ask('third', { principal: bob })).toBe('stop');
    expect(await own()).toMatchObject([{ used: 1 }]);
  });

  it('a call that ran by a grant says so in the conversation, in the list of decisions and in the history', async () => {
    const { run, allow, own } = payer('says so');
    await allow('first', { what: 'tool', where: 'thread' });
    const { messages } = await run('first', { prompt: 'Pay.' });
    const [grant] = await own();
    const result = messages.findLast(({ role }) => role === 'tool');
    expect(result?.metadata).toMatchObject({ grant: { id: grant!.id, givenBy: 'ana' } });
    const key = { scope, thread: 'says so first' };
    const decided = await listInterrupts(store, { scope, thread: key.thread, order: 'answered' });
    expect(decided.interrupts).toMatchObject([
      {
        interrupt: { metadata: { functionName: 'pay', functionArguments: { amount: 3 } } },
        state: 'resolved',
        askedBy: 'ana',
        answer: { via: 'grant', by: 'ana', grantedAt: grant!.grantedAt },
      },
      { interrupt: { id: grant!.interruptId }, answer: { via: 'in-process' } },
    ]);
    const [granted, settled] = (await readHistory(store, key)).slice(-2);
    expect(settled).toMatchObject({ what: 'settled', interruptId: granted?.interruptId });
    expect(granted).toMatchObject({
      what: 'granted',
      interruptId: decided.interrupts[0]!.interrupt.id,
      grant: grant!.id,
      by: 'ana',
      via: 'grant',
      toolCallId: expect.any(String),
    });
    expect(await verifyHistory(store, key)).toBeUndefined();
    const forged = { id: 'forged', role: 'tool', toolCallId: granted!.toolCallId!, content: 'Paid to eve.' };
    await store.commit({ appends: [{ log: 'messages', ...key, items: [forged] }] });
    expect(await verifyHistory(store, key)).toMatchObject({
      interruptId: granted?.interruptId,
      field: 'result',
    });
  });

  it('a call that ran by a grant and failed is marked in the list of decisions, and no other call of the run', async () => {
    const calls = Array.from({ length: 3 }, (_none, n) => ({ name: 'pay', input: { amount: n } }));
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object', properties: { amount: { type: 'number' } } } as const,
      approval: true,
      run(input) {
        if ((input as { amount: number }).amount === 1) throw new Error('The bank is closed.');
        return 'paid';
      },
    });
    const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'user' ? { calls } : 'Done.'));
    const grants = storeGrants(store, scope);
    await grants.add({ agent: 'fails', toolName: 'pay', givenBy: 'ana' });
    const agent = defineAgent({ id: 'fails', model, tools: [pay] });
    await agent.generate({ store, threadId: 'fails', grants, principal: ana, prompt: 'Pay.' });
    const { interrupts } = await listInterrupts(store, { scope, thread: 'fails', order: 'oldest' });
    const failures = new Map(
      interrupts.map(({ interrupt, failed, answer: given }) => {
        const { functionArguments } = interrupt.metadata as { functionArguments: { amount: number } };
        return [functionArguments.amount, given?.via === 'grant' && failed === true];
      }),
    );
    expect([0, 1, 2].map((amount) => failures.get(amount))).toEqual([false, true, false]);
    expect(await verifyHistory(store, { scope, thread: 'fails' })).toBeUndefined();
  });

  it('a grant keeps the limits of its answer: uses, total and end', async () => {
    const { ask, allow, own } = payer('limits', { remember: { amount: ({ amount }) => amount } });
    await allow('first', { ...forMe, maxUses: 5, maxTotal: 7, forMs: 60_000 });
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual(['stop', 'stop', 'interrupted']);
    const [grant] = await own();
    expect(grant).toMatchObject({ used: 2, spent: 6, maxUses: 5, maxTotal: 7, until: expect.any(Number) });
    await expect(allow('d', { ...forMe, maxUses: 0 })).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });

  it('remember is offered by the response schema, except with remember: false', async () => {
    const offered = async (approval: Approval<{ amount: number }>, name: string) => {
      const asked = await payer(name, approval).run('t', { prompt: 'Pay.' });
      return JSON.stringify(asked.interrupts[0]!.interrupt.responseSchema);
    };
    expect(await offered(true, 'offer 1')).toContain('maxUses');
    expect(await offered(true, 'offer 2')).not.toContain('maxTotal');
    expect(await offered({ remember: false }, 'offer 3')).not.toContain('remember');
    expect(await offered({ approvers: { roles: ['x'], notAsker: true } }, 'offer 4')).not.toContain(
      'remember',
    );
  });

  it('many runs at once use a grant as often as it allows', async () => {
    const { ask, allow, own, paid } = payer('race of uses');
    await allow('first', { ...forMe, maxUses: 5 });
    const ends = await Promise.all(Array.from({ length: 12 }, (_none, n) => ask(`n${n}`)));
    expect(ends.filter((end) => end === 'stop')).toHaveLength(5);
    expect(ends.filter((end) => end === 'interrupted')).toHaveLength(7);
    expect(paid).toHaveLength(6);
    expect(await own()).toMatchObject([{ used: 5 }]);
  });

  it('a call that would start right after the revocation of its grant asks instead', async () => {
    const { run, allow, own, grants, paid } = payer('revoked first');
    await allow('first', forMe);
    const [grant] = await own();
    let revoked = false;
    const late: Store = {
      ...bound(store),
      async commit(batch) {
        // The run has found the grant and is about to count its use.
        if (!revoked && batch.puts?.some(({ table }) => table === 'grants') === true) {
          revoked = await grants.revoke(grant!.id);
        }
        return store.commit(batch);
      },
    };
    const end = await run('late', { prompt: 'Pay.', store: late });
    expect([revoked, end.finishReason, paid.length]).toEqual([true, 'interrupted', 1]);
    expect(await own()).toEqual([]);
  });

  it('no call starts by a grant after its revocation, and every use before it counts', async () => {
    const { ask, allow, own, grants, paid } = payer('race of revoke');
    await allow('first', forMe);
    const [grant] = await own();
    const row = { scope, thread: '', id: grant!.id };
    const runs = Array.from({ length: 12 }, (_none, n) => ask(`n${n}`));
    const revoked = grants.revoke(grant!.id);
    const late = revoked.then(() => ask('late'));
    expect(await revoked).toBe(true);
    expect(await late).toBe('interrupted');
    const ends = await Promise.all(runs);
    const allowed = ends.filter((end) => end === 'stop').length;
    expect(paid).toHaveLength(1 + allowed);
    expect((await store.get('grants', [row]))[0]?.doc).toMatchObject({ used: allowed });
  });
});

describe.each(STORES)('the version of a tool on %s', (_name, create) => {
  let store: Store;
  beforeAll(async () => {
    store = await create();
  });
  afterAll(() => store.close());

  function agentOf(version: string | undefined, id = 'a') {
    const ran: (string | undefined)[] = [];
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      approval: true,
      ...(version === undefined ? {} : { version }),
      run: () => {
        ran.push(version);
        return 'sent';
      },
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ name: 'send' }] } : 'Done.',
    );
    const agent = defineAgent({ id, model, tools: [send] });
    const grants = storeGrants(store, scope);
    const run = (threadId: string, more: Partial<GenerateOptions>) =>
      agent.generate({ store, threadId, grants, principal: ana, ...more });
    return { run, ran };
  }
  const yes = { approved: true };

  it('a changed tool asks again, says so, and runs after the second approval only', async () => {
    const before = agentOf('1');
    const after = agentOf('2');
    const asked = await before.run('changed', { prompt: 'Send.' });
    const [first] = asked.interrupts;
    const again = await after.run('changed', { resume: [answer(first!, yes)] });
    expect(again.finishReason).toBe('interrupted');
    const [second] = again.interrupts;
    expect(second!.interrupt.id).not.toBe(first!.interrupt.id);
    expect(second!.interrupt.metadata).toMatchObject({
      description: 'send changed after it was approved (version 1, now 2).',
      supersedes: first!.interrupt.id,
    });
    expect(after.ran).toEqual([]);
    const history = await readHistory(store, { scope, thread: 'changed' });
    const ofFirst = history.filter(({ interruptId }) => interruptId === first!.interrupt.id);
    expect(ofFirst.map(({ what }) => what)).toEqual(['raised', 'staged', 'claimed', 'superseded']);
    const done = await after.run('changed', { resume: [answer(second!, yes)] });
    expect([done.finishReason, after.ran]).toEqual(['stop', ['2']]);
  });

  it('a grant for a version does not allow another version', async () => {
    const before = agentOf('1', 'versioned');
    const asked = await before.run('given', { prompt: 'Send.' });
    const remember = { what: 'tool', where: 'principal' };
    await before.run('given', { resume: [answer(asked.interrupts[0]!, { ...yes, remember })] });
    expect((await before.run('same', { prompt: 'Send.' })).finishReason).toBe('stop');
    const after = agentOf('2', 'versioned');
    expect((await after.run('other', { prompt: 'Send.' })).finishReason).toBe('interrupted');
  });
});
