import { describe, expect, it } from 'vitest';
import type { Store } from '../store/index.ts';
import { stageAnswer } from './testing-support/as-operator.ts';
import { ana, end, key, started, STORES, waiting, yes } from './testing-support/ledger-world.ts';

const interrupt = {
  id: 'q',
  reason: 'tool_call',
  message: 'May this go ahead?',
  expiresAt: '2099-01-01T00:00:00.000Z',
  metadata: { toolName: 'transferMoney', title: 'Send $5 to Bob' },
};
const asked = { interrupt, approvers: { roles: ['manager'], principals: ['bob'] } };
const bob = { id: 'bob', scope: key.scope };
const stateOf = async (store: Store) =>
  (await store.list({ table: 'interrupts', scope: key.scope })).rows.map(({ index }) => index.status);

describe.each(STORES)('the columns of an interrupt on the store %s', (_name, createStore) => {
  it('the columns of an interrupt have its subject, asker, owner and approvers', async () => {
    const store = createStore();
    await waiting(store, [asked], { title: 'Money' });
    const [row] = (await store.list({ table: 'interrupts' })).rows;
    expect(row?.index).toEqual({
      status: 'pending',
      agent: 'a',
      reason: 'tool_call',
      tool: 'transferMoney',
      title: 'Send $5 to Bob',
      message: 'May this go ahead?',
      askedBy: 'ana',
      owner: 'ana',
      approverRoles: ['manager'],
      approverUsers: ['bob'],
      dueAt: Date.parse(interrupt.expiresAt),
    });
    const [thread] = (await store.list({ table: 'threads' })).rows;
    expect(thread?.index).toMatchObject({ status: 'waiting', owner: 'ana', title: 'Money' });
    await store.close();
  });

  it('the columns of an interrupt have its current state, and the author and time of its answer', async () => {
    const store = createStore();
    await waiting(store, [asked]);
    expect(await stateOf(store)).toEqual(['pending']);
    await stageAnswer(store, { key, entry: yes('q'), principal: bob, via: 'inbox' });
    expect(await stateOf(store)).toEqual(['answered']);
    const run = await started(store, { principal: bob, continues: 'on-request' });
    expect(await stateOf(store)).toEqual(['claimed']);
    await end(store, run, { settled: ['q'], turn: null });
    const [row] = (await store.list({ table: 'interrupts' })).rows;
    expect(row?.index).toMatchObject({
      status: 'resolved',
      answeredBy: 'bob',
      answeredAt: expect.any(Number),
      owner: ana.id,
    });
    await store.close();
  });

  it('name the principal of the first run as owner, also for later runs of others', async () => {
    const store = createStore();
    await waiting(store, [asked]);
    const run = await started(store, { principal: bob, entries: [yes('q')] });
    const again = { ...asked, interrupt: { ...interrupt, id: 'q2' } };
    await end(store, run, { outcome: 'interrupt', settled: ['q'], raised: [again] });
    const { rows } = await store.list({ table: 'interrupts', owner: 'ana' });
    expect(rows.map(({ key: { id } }) => id)).toEqual(['q', 'q2']);
    await store.close();
  });
});
