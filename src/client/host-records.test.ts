import { describe, expect, it } from 'vitest';
import { createHost } from '../host/index.ts';
import { storeGrants } from '../ledger/index.ts';
import { defineAgent } from '../runs/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { createClient } from './index.ts';

describe('the records of a host', () => {
  /** A client of a host in this process, with the store of the host. */
  function setUp() {
    const agent = defineAgent({ id: 'assistant', model: scriptedModel(() => 'Hello.') });
    const store = memoryStore();
    const authenticate = () => ({ id: 'ana', scope: 's' });
    const host = createHost({ agents: [agent], store, authenticate, sweepMs: 0, logger: false });
    const fetch: typeof globalThis.fetch = (url, init) => host.fetch(new Request(url, init));
    return { store, client: createClient({ url: 'http://host/agents/assistant', fetch }) };
  }

  it('threads are listed, loaded, renamed, continued, removed and erased', async () => {
    const { client } = setUp();
    for (const threadId of ['a', 'b/c', 'd']) await client.run({ threadId, messages: 'Hi' }).finished;
    const { threads } = client;
    const first = await threads.list({ limit: 2 });
    expect(first.threads.map(({ threadId }) => threadId)).toEqual(['a', 'b/c']);
    const { next } = first;
    expect((await threads.list({ limit: 2, cursor: next ?? '' })).threads).toMatchObject([{ threadId: 'd' }]);
    await threads.rename('b/c', 'Travel');
    expect((await threads.list({ text: 'trav', order: 'newest' })).threads).toHaveLength(1);
    expect(await threads.get('b/c')).toMatchObject({
      title: 'Travel',
      messages: [{ content: 'Hi' }, { content: 'Hello.' }],
      interrupts: [],
    });
    expect(await threads.continue('a')).toEqual({ state: 'as-is' });
    await threads.remove('a');
    await threads.erase('d');
    expect((await threads.list()).threads).toMatchObject([{ threadId: 'b/c' }]);
    await expect(threads.get('a')).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
  });

  it('grants are listed and revoked', async () => {
    const { client, store } = setUp();
    const stored = storeGrants(store, 's');
    for (const toolName of ['pay', 'send'])
      await stored.add({ agent: 'assistant', toolName, principalId: 'ana' });
    const { grants, next = '' } = await client.grants.list({ limit: 1 });
    expect(grants).toMatchObject([{ toolName: 'pay' }]);
    expect((await client.grants.list({ cursor: next })).grants).toMatchObject([{ toolName: 'send' }]);
    await client.grants.revoke(grants[0]!.id);
    expect(await stored.list()).toMatchObject([{ toolName: 'send' }]);
  });

  it('files are uploaded with their name and type, listed and read', async () => {
    const { client } = setUp();
    await client.run({ threadId: 'a/b', messages: 'Hi' }).finished;
    const photo = new File(['bytes'], 'ö & x.png', { type: 'image/png' });
    const { id } = await client.files.upload('a/b', photo);
    await client.files.upload('a/b', new Blob(['text']), { name: 'notes' });
    expect((await client.files.list('a/b')).files).toMatchObject([
      { id, name: 'ö & x.png', type: 'image/png', size: 5 },
      { name: 'notes', type: 'application/octet-stream', size: 4 },
    ]);
    expect(await (await client.files.read('a/b', id)).text()).toBe('bytes');
  });
});
