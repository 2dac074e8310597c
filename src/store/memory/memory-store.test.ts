import { describe, expect, it } from 'vitest';
import { storeContract } from '../testing/index.ts';
import { memoryStore } from './index.ts';

describe('the memory store', () => {
  it.each(storeContract(async () => ({ store: memoryStore() })))('$name', ({ run }) => run());

  it('copies rows on write and on read', async () => {
    const store = memoryStore();
    const key = { scope: 's', thread: 't', id: 'a' };
    const doc = { list: [1] };
    await store.commit({ puts: [{ table: 'runs', key, doc }] });
    doc.list.push(2);
    const [first] = await store.get('runs', [key]);
    (first!.doc['list'] as number[]).push(3);
    const [second] = await store.get('runs', [key]);
    expect(second?.doc).toEqual({ list: [1] });
  });

  it('throws STORE_FAILED after close', async () => {
    const store = memoryStore();
    await store.close();
    await expect(store.commit({})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});
