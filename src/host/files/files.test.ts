import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import type { Store } from '../../store/index.ts';
import { createHost } from '../create-host.ts';
import { folderFiles } from '../node/index.ts';
import { demoAgent } from '../testing-support/demo-agent.ts';
import { createHostClient } from '../testing-support/host-client.ts';
import type { FileOptions } from './file-options.ts';

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdpoint-uploads-'));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function setUp(files: FileOptions = {}, store: Store = memoryStore()) {
  const host = createHost({ agents: [demoAgent({ done: [] })], store, sweepMs: 0, logger: false, files });
  cleanUps.push(() => host.close({ withinMs: 100 }));
  const client = createHostClient(host.fetch);
  const upload = async (
    thread: string,
    body: string,
    more: { readonly name?: string; readonly headers?: Record<string, string> } = {},
  ) => {
    const { name = 'a.txt', headers = {} } = more;
    const request = new Request(`http://localhost/threads/${thread}/files?name=${name}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...headers },
      body,
    });
    const response = await host.fetch(request);
    return { status: response.status, body: (await response.json()) as { error: { code: string } } & object };
  };
  const begin = (thread: string) => client.run({ thread, say: 'hello' });
  const namesOf = async (thread: string) =>
    ((await client.get(`/threads/${thread}/files`)).body.files as { name: string }[]).map(({ name }) => name);
  return { host, client, store, upload, begin, namesOf };
}

describe.each([
  ['the store', () => ({})],
  ['a folder', () => ({ store: folderFiles(folder()) })],
])('the quota of uploads in %s', (_where, files) => {
  it('rejects bytes beyond the quota of a thread with TOO_LARGE and stores nothing', async () => {
    const { upload, begin, namesOf } = setUp({ ...files(), quotas: { threadBytes: 10 } });
    await begin('t');
    await begin('other');
    expect((await upload('t', '12345678', { name: 'first' })).status).toBe(201);
    const refused = await upload('t', '123', { name: 'second' });
    expect([refused.status, refused.body.error]).toMatchObject([413, { code: 'TOO_LARGE' }]);
    expect((await upload('t', '12', { name: 'third' })).status).toBe(201);
    expect(await namesOf('t')).toEqual(['first', 'third']);
    expect((await upload('other', '1234567890')).status).toBe(201);
  });

  it('rejects files beyond the number of a thread with RATE_LIMITED', async () => {
    const { upload, begin, namesOf } = setUp({ ...files(), quotas: { threadFiles: 2 } });
    await begin('t');
    for (const name of ['a', 'b']) expect((await upload('t', '', { name })).status).toBe(201);
    const refused = await upload('t', '', { name: 'c' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(await namesOf('t')).toEqual(['a', 'b']);
  });

  it('applies to a scope, and is released when a thread is deleted', async () => {
    const { client, upload, begin, namesOf } = setUp({ ...files(), quotas: { scopeBytes: 10 } });
    for (const thread of ['one', 'two']) await begin(thread);
    expect((await upload('one', '12345678')).status).toBe(201);
    expect((await upload('two', '12345678')).status).toBe(413);
    expect(await namesOf('two')).toEqual([]);
    expect((await client.send('DELETE', '/threads/one')).status).toBe(204);
    expect((await upload('two', '12345678')).status).toBe(201);
  });

  it('applies to simultaneous uploads', async () => {
    const { upload, begin, namesOf } = setUp({ ...files(), quotas: { threadFiles: 3, scopeFiles: 4 } });
    await begin('t');
    await begin('u');
    const uploads = Array.from({ length: 20 }, (_none, n) => upload(n % 2 === 0 ? 't' : 'u', 'x'));
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    expect([...(await namesOf('t')), ...(await namesOf('u'))]).toHaveLength(4);
  });
});

describe('uploads', () => {
  it('uploads that could not be stored do not count', async () => {
    const kept = folderFiles(folder());
    let fails = true;
    const store = {
      ...kept,
      put: (...given: Parameters<typeof kept.put>) =>
        fails ? Promise.reject(new Error('full')) : kept.put(...given),
    };
    const { upload, begin } = setUp({ store, quotas: { threadFiles: 1 } });
    await begin('t');
    expect((await upload('t', 'x')).status).toBe(500);
    fails = false;
    expect((await upload('t', 'x')).status).toBe(201);
  });

  it('uploads are listed in pages', async () => {
    const { client, upload, begin } = setUp();
    await begin('t');
    for (let n = 0; n < 5; n += 1) await upload('t', 'x', { name: `f${n}` });
    const seen: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const { body } = await client.get(`/threads/t/files${query}`);
      seen.push(...body.files.map(({ name }: { name: string }) => name));
      if (body.next === undefined) break;
      query = `?limit=2&cursor=${encodeURIComponent(body.next)}`;
    }
    expect(seen).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    for (const wrong of ['?limit=0', '?limit=x', '?cursor=nonsense'])
      expect((await client.get(`/threads/t/files${wrong}`)).status).toBe(400);
  });

  it('uploads have names of at most 200 code points, never cut inside one', async () => {
    const { client, upload, begin } = setUp();
    await begin('t');
    const name = `${'a'.repeat(199)}😀😀`;
    expect((await upload('t', 'x', { name: encodeURIComponent(name) })).status).toBe(201);
    const { body } = await client.get('/threads/t/files');
    expect(body.files[0].name).toBe(`${'a'.repeat(199)}😀`);
    expect((await client.get(`/threads/t/files/${body.files[0].id}`)).status).toBe(200);
  });

  it.each([
    ['..', 'file'],
    ['../../etc/passwd', 'passwd'],
    ['a\\..\\b\r\n.txt', 'b.txt'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ])('uploads with the name %j are stored as %j', async (given, name) => {
    const { upload, begin, namesOf } = setUp();
    await begin('t');
    await upload('t', 'x', { name: encodeURIComponent(given) });
    expect(await namesOf('t')).toEqual([name]);
  });

  it('uploads in a form need a valid media type', async () => {
    const { upload, begin, namesOf } = setUp({ types: ['image/*'] });
    await begin('t');
    const form = (type: string) =>
      `--B\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: ${type}\r\n\r\nx\r\n--B--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=B' };
    expect((await upload('t', form('image/png<script>'), { headers })).status).toBe(415);
    expect((await upload('t', form('image/png; q=1'), { headers })).status).toBe(201);
    expect(await namesOf('t')).toHaveLength(1);
  });

  it('uploads are rejected from a page of another origin', async () => {
    const { upload, begin, namesOf } = setUp({ origins: ['https://app.example'] });
    await begin('t');
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1', 'https://localhost:1']) {
      const refused = await upload('t', 'x', { headers: { origin } });
      expect([origin, refused.status, refused.body.error.code]).toEqual([origin, 403, 'FORBIDDEN']);
    }
    expect(await namesOf('t')).toEqual([]);
    expect((await upload('t', 'x', { headers: { origin: 'http://localhost' } })).status).toBe(201);
  });

  it('uploads are accepted from the listed origins and from pages of the same origin', async () => {
    const store = memoryStore();
    const host = createHost({
      agents: [demoAgent({ done: [] })],
      store,
      sweepMs: 0,
      logger: false,
      authenticate: () => ({ id: 'ana', scope: 's' }),
      files: { origins: ['https://app.example'] },
    });
    cleanUps.push(() => host.close({ withinMs: 100 }));
    await createHostClient(host.fetch).run({ thread: 't', say: 'hello' });
    const statusOf = async (headers: Record<string, string>) =>
      (await host.fetch(new Request('http://inner/threads/t/files', { method: 'POST', headers, body: 'x' })))
        .status;
    expect(await statusOf({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf({ origin: 'null' })).toBe(403);
    expect(await statusOf({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf({ origin: 'https://app.example' })).toBe(201);
    expect(await statusOf({ origin: 'https://public.example', 'sec-fetch-site': 'same-origin' })).toBe(201);
    expect(await statusOf({})).toBe(201);
  });
});

describe.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(join(folder(), 'holdpoint.db'))],
])('files in the store %s', (_name, create) => {
  /** The store, and the maximum size of bodies that one list returned. */
  function watched() {
    const store = create();
    cleanUps.push(() => store.close());
    const seen = { most: 0 };
    const list: Store['list'] = async (query) => {
      const page = await store.list(query);
      const bodies = page.rows.map(({ doc }) => (typeof doc['data'] === 'string' ? doc['data'].length : 0));
      seen.most = Math.max(
        seen.most,
        bodies.reduce((sum, length) => sum + length, 0),
      );
      return page;
    };
    const watching: Store = {
      commit: (batch) => store.commit(batch),
      get: (table, keys) => store.get(table, keys),
      snapshot: (reads) => store.snapshot(reads),
      list,
      count: (query) => store.count(query),
      read: (query) => store.read(query),
      trim: (query) => store.trim(query),
      findStrays: (choice) => store.findStrays(choice),
      now: () => store.now(),
      watch: (listener) => store.watch(listener),
      close: () => store.close(),
    };
    return { store: watching, seen };
  }
  const SIZE = 50_000;

  it('uploads are listed, counted and deleted without loading all bodies', async () => {
    const { store, seen } = watched();
    const { client, upload, begin } = setUp({}, store);
    await begin('t');
    for (let n = 0; n < 30; n += 1) await upload('t', 'x'.repeat(SIZE), { name: `f${n}` });
    expect((await client.get('/threads/t/files')).body.files).toHaveLength(30);
    expect(seen.most).toBe(0);
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
    expect(seen.most).toBeLessThan(10 * SIZE);
    expect((await store.list({ table: 'files', scope: 'default', thread: 't' })).rows).toEqual([]);
  });

  it('uploads of an earlier version, in one row, are read, listed and counted', async () => {
    const { store, seen } = watched();
    const { client, upload, begin } = setUp({ quotas: { threadFiles: 6 } }, store);
    await begin('t');
    const key = { scope: 'default', thread: 't' };
    for (let n = 0; n < 5; n += 1) {
      const file = {
        id: `f${n}`,
        name: `n${n}`,
        type: 'text/plain',
        size: 3,
        uploadedBy: 'ana',
        uploadedAt: n,
      };
      const doc = { ...file, data: btoa('old').padEnd(4 * SIZE, ' ') };
      await store.commit({ puts: [{ table: 'files', key: { ...key, id: file.id }, doc, expect: 0 }] });
    }
    const { body } = await client.get('/threads/t/files');
    expect(body.files.map(({ id }: { id: string }) => id)).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    expect((await client.get('/threads/t/files/f3')).body).toBe('old');
    expect((await upload('t', 'new')).status).toBe(201);
    expect((await upload('t', 'one too many')).status).toBe(429);
    expect((await client.get('/threads/t/files')).body.files).toHaveLength(6);
    // One at a time.
    expect(seen.most).toBe(4 * SIZE);
    expect((await client.send('DELETE', '/threads/t')).status).toBe(204);
    expect((await store.list({ table: 'files', ...key })).rows).toEqual([]);
  });
});
