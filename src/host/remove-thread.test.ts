import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HoldpointError } from '../core/index.ts';
import type { RunAgentInput } from '../protocol/index.ts';
import { memoryStore } from '../store/memory/index.ts';
import type { Store } from '../store/index.ts';
import type { Host } from './create-host.ts';
import { createHost } from './create-host.ts';
import type { FileStore } from './files/file-options.ts';
import { storeFiles } from './files/store-files.ts';
import { folderFiles } from './node/index.ts';
import { demoAgent } from './testing-support/demo-agent.ts';
import { verifyHistory } from '../ledger/admin/index.ts';
import { createHostClient, eventually } from './testing-support/host-client.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function setUp(files?: FileStore) {
  const store = memoryStore();
  const host: Host = createHost({
    logger: false,
    agents: [demoAgent({ done: [] })],
    store,
    sweepMs: 0,
    ...(files === undefined ? {} : { files: { store: files } }),
  });
  closers.push(() => host.close({ withinMs: 100 }));
  const client = createHostClient(host.fetch);
  const upload = async (thread: string) => {
    await client.run({ thread, say: 'hello' });
    const { body } = await client.send('POST', `/threads/${thread}/files?name=a.txt`, 'what is in it');
    return `/threads/${thread}/files/${body.file.id}`;
  };
  return { client, upload };
}

function inFolder(): FileStore {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-files-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folderFiles(folder);
}

describe.each([
  ['the store', () => undefined],
  ['a folder', inFolder],
  ['a store of one’s own', () => storeFiles(memoryStore())],
])('the files of a deleted thread in %s', (_where, create) => {
  it('the files of a deleted thread are gone, also after the thread starts again, and files of other threads stay', async () => {
    const { client, upload } = setUp(create());
    const [gone, stays] = [await upload('gone'), await upload('stays')];
    expect((await client.get(gone)).status).toBe(200);
    expect((await client.send('DELETE', '/threads/gone')).status).toBe(204);
    expect((await client.get(gone)).status).toBe(404);
    expect((await client.get('/threads/gone/files')).status).toBe(404);
    await client.run({ thread: 'gone', say: 'hello again' });
    expect((await client.get(gone)).status).toBe(404);
    expect((await client.get('/threads/gone/files')).body).toEqual({ files: [] });
    expect((await client.get(stays)).status).toBe(200);
  });
});

describe('files that could not be removed', () => {
  it('files that could not be removed are not shown, and are removed by the next deletion', async () => {
    const files = inFolder();
    let isBroken = true;
    const { client, upload } = setUp({
      ...files,
      async remove(thread) {
        if (isBroken) throw new Error('the disk is gone');
        await files.remove?.(thread);
      },
    });
    const place = await upload('t');
    expect((await client.send('DELETE', '/threads/t')).status).toBe(500);
    expect((await client.get(place)).status).toBe(404);
    expect((await files.list({ scope: 'default', thread: 't' })).files).toHaveLength(1);
    isBroken = false;
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
    expect(await files.list({ scope: 'default', thread: 't' })).toEqual({ files: [] });
  });

  it('files that could not be removed are not shown if the file store has no remove', async () => {
    const { put, get, list } = inFolder();
    const { client, upload } = setUp({ put, get, list });
    const place = await upload('t');
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
    expect((await client.get(place)).status).toBe(404);
  });
});

describe('a deleted thread', () => {
  it('a deleted thread is listed under no status', async () => {
    const { client } = setUp();
    await client.run({ thread: 'gone', say: 'email' });
    expect((await client.send('DELETE', '/threads/gone')).status).toBe(204);
    for (const status of ['active', 'ready', 'failed', 'waiting', 'idle'])
      expect((await client.get(`/threads?status=${status}`)).body).toEqual({ threads: [] });
    for (const status of ['pruned', 'pruning', 'quiet', 'nonsense', 'idle,pruned']) {
      const { status: code, body } = await client.get(`/threads?status=${status}`);
      expect([status, code, body.error?.code]).toEqual([status, 400, 'INPUT_INVALID']);
    }
  });

  it('a deleted thread has no interrupts in the inbox from the moment of its deletion', async () => {
    const store = memoryStore();
    let commits = Number.POSITIVE_INFINITY;
    const dying: Store = {
      ...store,
      commit: (batch) =>
        (commits -= 1) < 0
          ? Promise.reject(new HoldpointError('STORE_FAILED', 'The process died.'))
          : store.commit(batch),
    };
    const host = createHost({ agents: [demoAgent({ done: [] })], store: dying, sweepMs: 0, logger: false });
    closers.push(() => host.close({ withinMs: 100 }));
    const client = createHostClient(host.fetch);
    await client.run({ thread: 'gone', say: 'email' });
    const [row] = (await store.list({ table: 'interrupts' })).rows;
    const copies = Array.from({ length: 600 }, (_none, n) => ({
      table: 'interrupts' as const,
      key: { scope: 'default', thread: 'gone', id: `more-${n}` },
      doc: row?.doc ?? {},
      index: row?.index ?? {},
    }));
    const runs = copies.map(({ key }) => ({ table: 'runs' as const, key, doc: {} }));
    await store.commit({ puts: [...copies, ...runs] });
    const live = await host.fetch(new Request('http://localhost/interrupts/events'));
    const frames = live.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await frames?.read())?.value).toContain('"threadId":"gone"');
    // The end of the history is anchored first.
    commits = 2;
    expect((await client.send('DELETE', '/threads/gone')).status).toBe(503);
    expect((await client.get('/interrupts?status=all')).body).toEqual({ interrupts: [] });
    expect((await frames?.read())?.value).toContain('{"interrupts":[]}');
    await frames?.cancel();
    expect((await client.get('/threads')).body).toEqual({ threads: [] });
    expect((await client.get('/threads/gone/interrupts/more-1')).status).toBe(404);
  });

  it('does not return to the inbox by interrupts that its agent holds open', async () => {
    const interrupt = { id: 'q', reason: 'input_required', message: 'Which?' };
    const agent = {
      run: async function* ({ threadId, runId }: RunAgentInput) {
        yield { type: 'RUN_STARTED', threadId, runId };
        yield { type: 'RUN_FINISHED', threadId, runId };
      },
      pending: async () => [interrupt],
    };
    const host = createHost({ agents: { agent }, store: memoryStore(), sweepMs: 0, logger: false });
    closers.push(() => host.close({ withinMs: 100 }));
    const client = createHostClient(host.fetch);
    await client.run({ agent: 'agent', thread: 'gone', path: '/connect' });
    expect((await client.get('/interrupts')).body.interrupts).toHaveLength(1);
    await client.send('DELETE', '/threads/gone');
    await client.run({ agent: 'agent', thread: 'gone', path: '/connect' });
    expect((await client.get('/interrupts?status=all')).body).toEqual({ interrupts: [] });
    expect((await client.get('/threads/gone')).status).toBe(404);
  });
});

describe('POST /threads/:t/erase', () => {
  it('erases a thread and its files for its owner only, also after the thread was deleted', async () => {
    const store = memoryStore();
    const host = createHost({
      logger: false,
      agents: [demoAgent({ done: [] })],
      store,
      sweepMs: 0,
      visibility: 'scope',
      authenticate: ({ headers }) => ({ id: headers.get('x-who') ?? 'ana', scope: 's' }),
    });
    closers.push(() => host.close({ withinMs: 100 }));
    const client = createHostClient(host.fetch);
    const post = (thread: string, who: string) =>
      host.fetch(
        new Request(`http://localhost/threads/${thread}/erase`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-who': who },
          body: '{}',
        }),
      );
    for (const thread of ['open', 'deleted']) {
      const { interrupts } = await client.run({ thread, say: 'email' });
      const answer = { status: 'resolved', payload: { approved: false, reason: 'a private reason' } };
      await client.post(`/threads/${thread}/interrupts/${interrupts[0]?.id}/answer`, answer);
      await eventually(async () => (await client.get(`/threads/${thread}`)).body.status === 'idle');
    }
    expect((await client.send('DELETE', '/threads/deleted')).status).toBe(204);
    const history = async (thread: string) =>
      JSON.stringify(await store.read({ log: 'history', scope: 's', thread }));
    for (const thread of ['open', 'deleted']) {
      expect(await history(thread)).toContain('a private reason');
      expect((await post(thread, 'bob')).status).toBe(403);
      expect((await post(thread, 'ana')).status).toBe(204);
      expect(await history(thread)).not.toContain('a private reason');
      expect(await verifyHistory(store, { scope: 's', thread })).toBeUndefined();
    }
    expect((await post('none', 'ana')).status).toBe(404);
  });
});

it('a decided interrupt of a deleted thread takes no answer after the thread has begun again', async () => {
  const { client } = setUp();
  const { interrupts } = await client.run({ thread: 'gone', say: 'email' });
  const answer = `/threads/gone/interrupts/${interrupts[0]?.id}/answer`;
  const yes = { status: 'resolved', payload: { approved: true } };
  await client.run({ thread: 'gone', resume: [{ interruptId: interrupts[0]?.id, ...yes }] });
  expect((await client.post(answer, { ...yes, payload: { approved: false } })).status).toBe(409);
  expect((await client.send('DELETE', '/threads/gone')).status).toBe(204);
  await client.run({ thread: 'gone', say: 'hello again' });
  for (const approved of [true, false]) {
    const { status, body } = await client.post(answer, { ...yes, payload: { approved } });
    expect([status, body.error?.code]).toEqual([404, 'INTERRUPT_UNKNOWN']);
  }
});
