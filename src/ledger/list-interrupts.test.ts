import { describe, expect, it } from 'vitest';
import { erasePerson } from './erase.ts';
import { expireDue } from './expire.ts';
import { listInterrupts, readInterrupt, stageAnswer } from './testing-support/as-operator.ts';
import {
  ana,
  end,
  finished,
  key,
  newInterrupt,
  started,
  STORES,
  waiting,
  yes,
} from './testing-support/ledger-world.ts';

const at = (time: number) => ({ expiresAt: new Date(time).toISOString() });

describe.each(STORES)('listInterrupts on the store %s', (_name, create) => {
  const setUp = async () => {
    const store = create({ clock: { now: () => 0 } });
    await waiting(store, [
      newInterrupt('q1', at(300)),
      newInterrupt('q2', { reason: 'confirmation', ...at(200) }),
    ]);
    await waiting(store, [newInterrupt('q3', at(100))], { key: { scope: 's', thread: 'u' }, agent: 'b' });
    await waiting(store, [newInterrupt('theirs')], { key: { scope: 'other', thread: 't' } });
    await finished(store, { key: { scope: 's', thread: 'v' } });
    return store;
  };
  const ids = (page: Awaited<ReturnType<typeof listInterrupts>>) =>
    page.interrupts.map(({ interrupt }) => interrupt.id).join(' ');

  it('returns the interrupts of one scope in order, with their threads', async () => {
    const store = await setUp();
    const page = await listInterrupts(store, { scope: 's' });
    expect(ids(page)).toBe('q1 q2 q3 q');
    expect(page.interrupts.map((one) => [one.key.thread, one.state, one.agent])).toEqual([
      ['t', 'pending', 'a'],
      ['t', 'pending', 'a'],
      ['u', 'pending', 'b'],
      ['v', 'resolved', 'a'],
    ]);
    expect(page.next).toBeUndefined();
  });

  it('filters by state, agent, reason and thread', async () => {
    const store = await setUp();
    await stageAnswer(store, { key, entry: yes('q1'), principal: ana, via: 'inbox' });
    const list = async (query: object) => ids(await listInterrupts(store, { scope: 's', ...query }));
    expect(await list({ status: ['pending'] })).toBe('q2 q3');
    expect(await list({ status: ['answered', 'resolved'] })).toBe('q1 q');
    expect(await list({ agent: 'b' })).toBe('q3');
    expect(await list({ reason: 'confirmation' })).toBe('q2');
    expect(await list({ thread: 'u' })).toBe('q3');
    expect(await list({ status: [] })).toBe('');
  });

  it('finds what a person changed and answered, until the answer is erased', async () => {
    const store = await setUp();
    const bob = { id: 'bob', scope: 's' };
    const payload = { approved: true, editedArgs: { to: 'eve@evil.com' }, reason: 'Known to Finance' };
    const run = await started(store, {
      entries: [
        { interruptId: 'q1', status: 'resolved', payload },
        { interruptId: 'q2', status: 'cancelled' },
      ],
      principal: bob,
    });
    await end(store, run, { turn: null, settled: ['q1', 'q2'] });
    const find = async (text: string) => ids(await listInterrupts(store, { scope: 's', text }));
    expect([await find('EVE@'), await find('finance'), await find('editedArgs')]).toEqual(['q1', 'q1', '']);
    await erasePerson(store, { scope: 's', person: 'bob' });
    expect([await find('EVE@'), await find('finance')]).toEqual(['', '']);
  });

  it('returns the soonest expiry first, in pages', async () => {
    const store = await setUp();
    expect(ids(await listInterrupts(store, { scope: 's', expiringBefore: 300 }))).toBe('q3 q2');
    for (const query of [{ scope: 's' }, { scope: 's', expiringBefore: 1000 }]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listInterrupts(store, { ...query, limit: 1, ...(cursor && { cursor }) });
        seen.push(ids(page));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen.join(' ')).toBe(ids(await listInterrupts(store, query)));
    }
    await expect(listInterrupts(store, { scope: 's', cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  it('returns the expired interrupts after the others in the order by expiry, in pages', async () => {
    let now = 0;
    const store = create({ clock: { now: () => now } });
    const given = { key, agent: 'a' };
    await waiting(
      store,
      [1, 2, 3].map((n) => newInterrupt(`late${n}`, at(n))),
      given,
    );
    await waiting(store, [newInterrupt('soon', at(5000)), newInterrupt('undated')], {
      key: { scope: 's', thread: 'u' },
    });
    now = 1000;
    expect(await expireDue(store)).toBe(3);
    const query = { scope: 's', status: ['pending', 'expired'] as const, order: 'expiring' as const };
    const all = 'soon undated late1 late2 late3';
    expect(ids(await listInterrupts(store, query))).toBe(all);
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listInterrupts(store, { ...query, limit, ...(cursor && { cursor }) });
        seen.push(ids(page));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen.join(' ')).toBe(all);
    }
  });

  it('finds a call by an argument as the tool writes it, whatever the title says', async () => {
    const store = create({ clock: { now: () => 0 } });
    const metadata = { toolName: 'pay', toolInput: { amount: 500_000 }, display: { amount: '$5,000' } };
    await waiting(store, [
      newInterrupt('untitled', { metadata }),
      newInterrupt('titled', { metadata: { ...metadata, title: 'Pay the invoice' } }),
      newInterrupt('other', { metadata: { toolName: 'pay', toolInput: { amount: 700_000 } } }),
    ]);
    for (const text of ['5000', '$5,000', '5,000.00'])
      expect(ids(await listInterrupts(store, { scope: 's', text }))).toBe('untitled titled');
    expect(ids(await listInterrupts(store, { scope: 's', text: 'PAY' }))).toBe('untitled titled other');
  });

  it('finds one interrupt by thread and id, never one of another thread or scope', async () => {
    const store = await setUp();
    expect(await readInterrupt(store, key, 'q1')).toMatchObject({ state: 'pending', askedBy: 'ana' });
    expect(await readInterrupt(store, key, 'q3')).toBeUndefined();
    expect(await readInterrupt(store, key, 'theirs')).toBeUndefined();
  });
});
