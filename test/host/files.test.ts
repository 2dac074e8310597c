import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from 'holdpoint';
import { askForFile, defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { createHostClient } from '../../src/host/testing-support/host-client.ts';
import { createDatabase } from '../postgres/create-database.ts';

const STORES: readonly (readonly [string, () => Promise<Store> | Store])[] = [
  ['sqlite', () => sqliteStore(':memory:')],
  ['postgres', async () => postgresStore(await createDatabase())],
];

const readContract = defineTool({
  name: 'readContract',
  description: 'Reads a contract.',
  input: { type: 'object' },
  async run(_input, ctx) {
    const { name, type, data } = await askForFile(ctx, 'contract', {
      message: 'Please upload the contract.',
      accept: ['text/plain', '.md'],
      maxBytes: 10,
    });
    return { name, type, text: new TextDecoder().decode(data) };
  },
});
const agent = defineAgent({
  id: 'clerk',
  tools: [readContract],
  model: scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool' ? `Read ${String(last.content)}` : { calls: [{ name: 'readContract' }] };
  }),
});

describe.each(STORES)('files on %s', (_name, create) => {
  let store: Store;
  let host: ReturnType<typeof createHost>;
  beforeAll(async () => {
    store = await create();
    host = createHost({ agents: [agent], store, sweepMs: 0, logger: false });
  });
  afterAll(async () => {
    await host.close({ withinMs: 100 });
    await store.close();
  });
  const upload = async (thread: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const url = `http://localhost/threads/${thread}/files`;
    const response = await host.fetch(new Request(url, { method: 'POST', body, headers }));
    const { file, error } = (await response.json()) as {
      file?: { id: string; name: string; type: string };
      error?: { code: string };
    };
    return { status: response.status, file, code: error?.code };
  };
  const asForm = (name: string, type: string, text: string) => {
    const form = new FormData();
    form.append('note', 'ignored');
    form.append('file', new File([text], name, { type }));
    return form;
  };
  const plain = { 'content-type': 'text/plain', 'x-file-name': 'a.txt' };

  it('a form and a raw body give the same file, and the tool reads it', async () => {
    const client = createHostClient(host.fetch);
    for (const [thread, sent] of [
      ['form', () => upload('form', asForm('a.txt', 'text/plain', 'Signed.'))],
      ['raw', () => upload('raw', 'Signed.', plain)],
    ] as const) {
      const { interrupts } = await client.run({ agent: 'clerk', thread, say: 'Read it.' });
      expect(interrupts).toMatchObject([{ reason: 'upload_required' }]);
      const { status, file } = await sent();
      expect([status, file]).toMatchObject([201, { name: 'a.txt', type: 'text/plain', size: 7 }]);
      const answered = await client.run({
        agent: 'clerk',
        thread,
        resume: [{ interruptId: interrupts[0]?.id, status: 'resolved', payload: { fileId: file?.id } }],
      });
      expect(answered.outcome).toBe('success');
      const { messages } = (await client.get(`/threads/${thread}`)).body as {
        messages: { content: string }[];
      };
      expect(messages.at(-1)?.content).toBe('Read {"name":"a.txt","type":"text/plain","text":"Signed."}');
    }
  });

  it('rejects other forms with 415, and a form without exactly one file with 400', async () => {
    await createHostClient(host.fetch).run({ agent: 'clerk', thread: 'forms', say: 'Read it.' });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await upload('forms', 'a=1', form)).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA' });
    const mixed = { 'content-type': 'multipart/mixed; boundary=x' };
    expect(await upload('forms', '--x--', mixed)).toMatchObject({ status: 415 });
    expect(await upload('forms', 'x', { 'content-type': 'text' })).toMatchObject({ status: 415 });
    expect(await upload('forms', new FormData())).toMatchObject({ status: 400, code: 'INPUT_INVALID' });
    const two = asForm('a', 'text/plain', 'a');
    two.append('other', new File(['b'], 'b'));
    expect(await upload('forms', two)).toMatchObject({ status: 400 });
  });

  it('rejects an answer whose file is missing, of another thread, of another type or too large', async () => {
    const client = createHostClient(host.fetch);
    await client.run({ agent: 'clerk', thread: 'elsewhere', say: 'Read it.' });
    const { interrupts } = await client.run({ agent: 'clerk', thread: 'checked', say: 'Read it.' });
    const foreign = await upload('elsewhere', 'Signed.', plain);
    const picture = await upload('checked', 'x', { 'content-type': 'image/png', 'x-file-name': 'a.png' });
    const large = await upload('checked', 'Signed twice.', plain);
    const right = await upload('checked', '# Signed', { 'content-type': 'text/x', 'x-file-name': 'a.md' });
    const id = interrupts[0]?.id;
    const answer = async (fileId: string | undefined) => {
      const payload = { fileId };
      const path = `/threads/checked/interrupts/${id}/answer`;
      const inbox = await client.post(path, { status: 'resolved', payload });
      return [inbox.status, inbox.body.error?.issues?.[0]?.message];
    };
    expect(await answer('none')).toEqual([422, 'the thread has no file "none"']);
    expect(await answer(foreign.file?.id)).toEqual([422, expect.stringContaining('the thread has no file')]);
    expect(await answer(picture.file?.id)).toEqual([422, expect.stringContaining('not image/png')]);
    expect(await answer(large.file?.id)).toEqual([422, 'expected a file of at most 10 bytes, not 13']);
    const resume = [{ interruptId: id, status: 'resolved', payload: { fileId: large.file?.id } }];
    const run = await client.run({ agent: 'clerk', thread: 'checked', resume });
    expect(run.error?.code).toBe('ANSWER_INVALID');
    expect((await answer(right.file?.id))[0]).toBe(200);
  });
});
