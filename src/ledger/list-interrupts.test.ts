import { describe, expect, it } from 'vitest';
import { listQuestions, readQuestion, stageAnswer } from './testing-support/as-operator.ts';
import { ana, finished, key, question, STORES, waiting, yes } from './testing-support/ledger-world.ts';

const at = (time: number) => ({ expiresAt: new Date(time).toISOString() });

describe.each(STORES)('listInterrupts on the store %s', (_name, create) => {
  const setUp = async () => {
    const store = create({ clock: { now: () => 0 } });
    await waiting(store, [question('q1', at(300)), question('q2', { reason: 'confirmation', ...at(200) })]);
    await waiting(store, [question('q3', at(100))], { key: { scope: 's', thread: 'u' }, agent: 'b' });
    await waiting(store, [question('theirs')], { key: { scope: 'other', thread: 't' } });
    await finished(store, { key: { scope: 's', thread: 'v' } });
    return store;
  };
  const ids = (page: Awaited<ReturnType<typeof listQuestions>>) =>
    page.questions.map(({ interrupt }) => interrupt.id).join(' ');

  it('returns the interrupts of one scope in order, with their threads', async () => {
    const store = await setUp();
    const page = await listQuestions(store, { scope: 's' });
    expect(ids(page)).toBe('q1 q2 q3 q');
    expect(page.questions.map((one) => [one.key.thread, one.state, one.agent])).toEqual([
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
    const list = async (query: object) => ids(await listQuestions(store, { scope: 's', ...query }));
    expect(await list({ status: ['pending'] })).toBe('q2 q3');
    expect(await list({ status: ['answered', 'resolved'] })).toBe('q1 q');
    expect(await list({ agent: 'b' })).toBe('q3');
    expect(await list({ reason: 'confirmation' })).toBe('q2');
    expect(await list({ thread: 'u' })).toBe('q3');
    expect(await list({ status: [] })).toBe('');
  });

  it('returns the soonest expiry first, in pages', async () => {
    const store = await setUp();
    expect(ids(await listQuestions(store, { scope: 's', expiringBefore: 300 }))).toBe('q3 q2');
    for (const query of [{ scope: 's' }, { scope: 's', expiringBefore: 1000 }]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listQuestions(store, { ...query, limit: 1, ...(cursor && { cursor }) });
        seen.push(ids(page));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen.join(' ')).toBe(ids(await listQuestions(store, query)));
    }
    await expect(listQuestions(store, { scope: 's', cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  it('finds one interrupt by thread and id, never one of another thread or scope', async () => {
    const store = await setUp();
    expect(await readQuestion(store, key, 'q1')).toMatchObject({ state: 'pending', askedBy: 'ana' });
    expect(await readQuestion(store, key, 'q3')).toBeUndefined();
    expect(await readQuestion(store, key, 'theirs')).toBeUndefined();
  });
});
