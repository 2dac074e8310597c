import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../test/postgres/create-database.ts';
import { defineTool } from '../engine/index.ts';
import { pruneThreads, verifyHistory } from '../ledger/admin/index.ts';
import { bound } from '../ledger/testing-support/bound-store.ts';
import { defineAgent } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import { postgresStore } from '../store/postgres/index.ts';
import { sqliteStore } from '../store/sqlite/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { HostOptions } from './host-options.ts';
import { useDemoHosts } from './testing-support/demo-hosts.ts';
import { approve, createHostClient, eventually } from './testing-support/host-client.ts';

const yes = { status: 'resolved', payload: { approved: true } };
const FINANCE = { roles: ['finance'] };

/** An agent with a tool for each rule about approvers. The message names the tool. */
function clerk(done: string[] = []) {
  const tool = (name: string, approval: Parameters<typeof defineTool>[0]['approval'] = true) =>
    defineTool({
      name,
      description: name,
      input: { type: 'object' },
      approval,
      run: () => done.push(name),
    });
  const contract = defineTool({
    name: 'contract',
    description: 'asks for a file',
    input: { type: 'object' },
    run: (_input, { ask }) =>
      ask('file', {
        message: 'The contract, please.',
        schema: { type: 'object', properties: { fileId: { type: 'string' } } },
        approvers: FINANCE,
      }),
  });
  const tools = [
    tool('email'),
    tool('pay', { approvers: FINANCE }),
    tool('payCleo', { approvers: { roles: ['finance'], principals: ['cleo'] } }),
    tool('order', { approvers: { notAsker: true } }),
    contract,
  ];
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const said = last?.role === 'user' && typeof last.content === 'string' ? last.content : '';
    const name = tools.find((one) => one.name === said)?.name;
    return name === undefined ? `You said ${said}.` : { calls: [{ id: `call-${messages.length}`, name }] };
  });
  return defineAgent({ id: 'assistant', model, tools });
}

const createDemoHost = useDemoHosts();
let thread = 0;

describe.each(['SQLite', 'PostgreSQL'])('threads of several people on %s', (name) => {
  let store: Store;
  beforeAll(async () => {
    store = name === 'SQLite' ? sqliteStore(':memory:') : postgresStore(await createDatabase());
  });
  afterAll(() => store.close());

  function setUp(options: Partial<HostOptions> = {}) {
    const done: string[] = [];
    const world = createDemoHost({ agents: [clerk(done)], store, ...options });
    thread += 1;
    // Each test has its own people, because the store is shared.
    const scope = `scope-${thread}`;
    const as = (who: string) => {
      const [id = '', ...roles] = who.split('@');
      return world.as([id, scope, ...roles].join('@'));
    };
    return { ...world, done, scope, as, ana: as('ana'), bob: as('bob'), cleo: as('cleo@finance') };
  }
  const titles = async (client: ReturnType<ReturnType<typeof setUp>['as']>, path = '/interrupts') =>
    ((await client.get(path)).body.interrupts as { interrupt: { metadata: { functionName: string } } }[]).map(
      ({ interrupt }) => interrupt.metadata.functionName,
    );

  it('a decided interrupt stays with its approver after the asker deletes the thread, until it is pruned', async () => {
    const { ana, bob, cleo, scope } = setUp();
    const place = async (say: string, body: object) => {
      const { interrupts } = await ana.run({ thread: 'deleted', say });
      const path = `/threads/deleted/interrupts/${interrupts[0]?.id}`;
      expect((await cleo.post(`${path}/answer`, body)).status).toBe(200);
      return path;
    };
    const paid = await place('pay', yes);
    await eventually(async () => (await ana.get('/threads/deleted')).body.status === 'idle');
    const undone = await place('pay', { ...yes, undoMs: 60_000 });
    expect((await ana.send('DELETE', '/threads/deleted')).status).toBe(204);
    expect((await ana.send('DELETE', '/threads/deleted')).body.error.code).toBe('THREAD_UNKNOWN');

    const statuses = async (client: typeof ana, path = '/interrupts?status=all') =>
      (await client.get(path)).body.interrupts.map(({ status }: { status: string }) => status);
    for (const person of [ana, cleo]) expect(await statuses(person)).toEqual(['resolved', 'cancelled']);
    expect(await statuses(cleo, '/interrupts?status=all&order=answered&text=pay')).toHaveLength(2);
    expect(await statuses(cleo, '/interrupts')).toEqual([]);
    expect(await statuses(bob)).toEqual([]);
    expect((await bob.get(paid)).status).toBe(404);
    const { body } = await cleo.get(paid);
    expect(body).toMatchObject({
      answer: { by: 'cleo', you: true },
      threadDeleted: { by: 'ana', at: expect.any(String) },
      maySeeThread: false,
      mayAnswer: false,
      mayWithdraw: false,
      said: [],
      result: '1',
    });
    expect((await ana.get(paid)).body).toMatchObject({ threadDeleted: { you: true }, maySeeThread: false });
    const steps = (await cleo.get(`${undone}/history`)).body.history as { what: string; by?: string }[];
    expect(steps.map(({ what }) => what)).toEqual(['raised', 'staged', 'withdrawn']);

    await ana.run({ thread: 'deleted', say: 'pay' });
    for (const path of [paid, undone]) {
      for (const body of [yes, { status: 'cancelled' }])
        expect((await cleo.post(`${path}/answer`, body)).body.error.code).toBe('INTERRUPT_UNKNOWN');
      expect((await ana.post(`${path}/withdraw`, {})).body.error.code).toBe('INTERRUPT_UNKNOWN');
      expect((await cleo.send('DELETE', `${path}/answer`)).body.error.code).toBe('INTERRUPT_UNKNOWN');
      expect((await cleo.get(path)).body).toMatchObject({ said: [], maySeeThread: false });
    }
    expect(await statuses(cleo, '/interrupts')).toEqual(['pending']);
    expect((await ana.send('DELETE', '/threads/deleted')).status).toBe(204);
    expect(await statuses(cleo)).toHaveLength(2);
    expect(await pruneThreads(store, { olderThanMs: -1 })).toBeGreaterThan(0);
    expect(await statuses(cleo)).toEqual([]);
    expect(await verifyHistory(store, { scope, thread: 'deleted' })).toBeUndefined();
  });

  it('a colleague cannot tell the thread of another person from a missing one', async () => {
    const { ana, bob } = setUp();
    const { interrupts } = await ana.run({ thread: 'hidden', say: 'email' });
    const id = interrupts[0]?.id ?? '';
    const ways = [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/continue'],
      ['POST', '/runs/r/cancel'],
      ['GET', '/files'],
      ['GET', '/files/f'],
      ['GET', `/interrupts/${id}`],
      ['GET', `/interrupts/${id}/history`],
      ['POST', `/interrupts/${id}/answer`],
      ['DELETE', `/interrupts/${id}/answer`],
      ['POST', `/interrupts/${id}/withdraw`],
      ['POST', `/interrupts/${id}/ask-again`],
    ] as const;
    for (const [method, path] of ways) {
      const say = async (where: string) => {
        const { status, body } = await bob.send(
          method,
          `/threads/${where}${path}`,
          method === 'GET' || method === 'DELETE' ? undefined : { ...yes, title: 'Mine' },
        );
        return [path, status, JSON.stringify(body).replaceAll(where, 'X')];
      };
      const there = await say('hidden');
      expect(there[1]).toBe(404);
      expect(there).toEqual(await say('nowhere'));
    }
    expect((await bob.watch('hidden')).response.status).toBe(404);
    const codes = [
      (await bob.run({ thread: 'hidden', say: 'hello' })).error?.code,
      (await bob.run({ thread: 'hidden', path: '/connect' })).error?.code,
      (await bob.run({ thread: 'hidden', resume: [approve(interrupts[0])] })).error?.code,
    ];
    expect(codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'INTERRUPT_UNKNOWN']);
    expect((await bob.get('/threads')).body.threads).toEqual([]);
    expect(await titles(bob)).toEqual([]);
    expect(await titles(ana)).toEqual(['email']);
    expect((await ana.get('/threads')).body.threads).toHaveLength(1);
    expect((await ana.run({ thread: 'hidden', resume: [approve(interrupts[0])] })).outcome).toBe('success');
  });

  it('a stream that was open before the thread ends without its events', async () => {
    const { ana, bob } = setUp();
    const watched = await bob.watch('later');
    await watched.until('RUN_FINISHED');
    const rest = watched.rest();
    await ana.run({ thread: 'later', say: 'A secret plan' });
    expect(await rest).toEqual([]);
  });

  it('a deleted thread can be begun anew by its owner only', async () => {
    const { ana, bob } = setUp();
    await ana.run({ thread: 'old', say: 'hello' });
    expect((await ana.send('DELETE', '/threads/old')).status).toBe(204);
    expect((await bob.run({ thread: 'old', say: 'hello' })).error?.code).toBe('FORBIDDEN');
    expect((await ana.run({ thread: 'old', say: 'again' })).outcome).toBe('success');
  });

  it('an approver sees the interrupt and the words before it, but not its thread', async () => {
    const { ana, cleo, done } = setUp();
    const { interrupts } = await ana.run({ thread: 't', say: 'pay' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    expect(await titles(cleo)).toEqual(['pay']);
    const seen = await cleo.get(place);
    expect(seen.body).toMatchObject({
      status: 'pending',
      askedBy: 'ana',
      approvers: FINANCE,
      mayAnswer: true,
      mayWithdraw: false,
      maySeeThread: false,
      said: [{ role: 'user', text: 'pay' }],
    });
    expect((await cleo.get(`${place}/history`)).body.history).toMatchObject([{ what: 'raised' }]);
    expect((await cleo.get('/threads/t')).status).toBe(404);
    expect((await cleo.get('/threads')).body.threads).toEqual([]);
    expect((await cleo.watch('t')).response.status).toBe(404);
    const resumed = await cleo.run({ thread: 't', resume: [approve(interrupts[0])] });
    expect([resumed.status, resumed.error?.message]).toEqual([
      403,
      'cleo may answer this interrupt but not read its thread. Answer in the inbox.',
    ]);
    expect(done).toEqual([]);
    expect((await cleo.post(`${place}/answer`, yes)).body.state).toBe('continued');
    await expect.poll(() => done).toEqual(['pay']);
  });

  it('the asker of an approval for others sees who may answer, and the refusal names the role', async () => {
    const { ana } = setUp();
    const { interrupts } = await ana.run({ thread: 't', say: 'payCleo' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    const [listed] = (await ana.get('/interrupts')).body.interrupts;
    const rights = {
      mayAnswer: false,
      mayWithdraw: true,
      approvers: { roles: ['finance'], principals: ['cleo'] },
    };
    expect(listed).toMatchObject(rights);
    expect(listed.barredAsAsker).toBeUndefined();
    expect((await ana.get(place)).body).toMatchObject({ ...rights, maySeeThread: true });
    const message = 'ana may not answer this: it needs the role finance, or waits for cleo.';
    expect((await ana.post(`${place}/answer`, yes)).body.error).toEqual({
      code: 'ANSWER_FORBIDDEN',
      message,
    });
    const resumed = await ana.run({ thread: 't', resume: [approve(interrupts[0])] });
    expect(resumed.error).toMatchObject({ code: 'ANSWER_FORBIDDEN', message });
  });

  it('an answered interrupt says whether its viewer asked, and by whom and when it was answered', async () => {
    const { ana, cleo, as } = setUp();
    const { interrupts } = await ana.run({ thread: 't', say: 'pay' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    await cleo.post(`${place}/answer`, yes);
    expect((await ana.get(place)).body.askedByYou).toBe(true);
    expect((await cleo.get(place)).body.askedByYou).toBeUndefined();
    for (const viewer of [ana, as('dan@finance')])
      expect((await viewer.get(place)).body.answer).toMatchObject({
        by: 'cleo',
        at: expect.any(String) as unknown,
        via: 'inbox',
      });
  });

  it('notAsker alone lets everybody else of the scope see and answer', async () => {
    const { ana, bob, done, host } = setUp();
    const { interrupts } = await ana.run({ thread: 't', say: 'order' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    expect(await titles(bob)).toEqual(['order']);
    const refused = (await ana.post(`${place}/answer`, yes)).body.error.message;
    expect(refused).toBe('ana may not answer this: it needs a person other than its asker.');
    expect((await ana.get(place)).body.barredAsAsker).toBe(true);
    expect((await bob.get(place)).body.barredAsAsker).toBeUndefined();
    const elsewhere = createHostClient(host.fetch, { headers: { 'x-who': 'bob@elsewhere' } });
    expect(await titles(elsewhere)).toEqual([]);
    expect((await elsewhere.get(place)).status).toBe(404);
    expect((await bob.post(`${place}/answer`, yes)).status).toBe(200);
    await expect.poll(() => done).toEqual(['order']);
  });

  it('visibility scope shows threads to colleagues, who answer where no approvers are named', async () => {
    const { ana, bob, done } = setUp({ visibility: 'scope' });
    const { interrupts } = await ana.run({ thread: 't', say: 'email' });
    expect(await titles(bob)).toEqual(['email']);
    expect((await bob.get('/threads')).body.threads).toHaveLength(1);
    expect((await bob.run({ thread: 't', resume: [approve(interrupts[0])] })).outcome).toBe('success');
    expect(done).toEqual(['email']);
    const paid = await bob.run({ thread: 't', say: 'pay' });
    const place = `/threads/t/interrupts/${paid.interrupts[0]?.id}`;
    expect((await bob.post(`${place}/answer`, yes)).body.error.message).toContain('needs the role finance');
  });

  it('lists ask the store for visible rows only, and pages stay full', async () => {
    const queries: unknown[] = [];
    const spied: Store = {
      ...bound(store),
      list: (query) => (queries.push(query.visibleTo), store.list(query)),
    };
    const { ana, bob, as } = setUp({ store: spied });
    for (const n of [1, 2, 3]) await ana.run({ thread: `ana-${n}`, say: 'email' });
    await bob.run({ thread: 'bob-1', say: 'email' });
    queries.length = 0;
    const page = (await bob.get('/interrupts?limit=1')).body;
    expect(page.interrupts).toMatchObject([{ threadId: 'bob-1' }]);
    expect(page.next).toBeUndefined();
    await as('cleo@finance@legal').get('/threads');
    expect(queries).toEqual([
      { id: 'bob', roles: [] },
      { id: 'cleo', roles: ['finance', 'legal'] },
    ]);
  });

  it('the live inbox of a colleague has only the interrupts that they see', async () => {
    const { ana, host, scope } = setUp();
    await ana.run({ thread: 't', say: 'email' });
    await ana.run({ thread: 'u', say: 'pay' });
    const request = new Request('http://localhost/interrupts/events', {
      headers: { 'x-who': `cleo@${scope}@finance` },
    });
    const { body } = await host.fetch(request);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const text = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    const { interrupts } = JSON.parse(text.slice(text.indexOf('{')));
    expect(interrupts).toMatchObject([{ threadId: 'u', mayAnswer: true }]);
  });

  it('an approver uploads and reads files of the interrupt, and no other files of the thread', async () => {
    const { ana, bob, cleo } = setUp();
    await ana.run({ thread: 't', say: 'hello' });
    const own = (await ana.post('/threads/t/files?name=own.json', { secret: true })).body.file.id;
    const { interrupts } = await ana.run({ thread: 't', say: 'contract' });
    const uploaded = await cleo.post('/threads/t/files?name=signed.json', { signed: true });
    expect(uploaded.status).toBe(201);
    const fileId = uploaded.body.file.id;
    const answered = await cleo.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, {
      status: 'resolved',
      payload: { fileId },
    });
    expect(answered.status).toBe(200);
    const names = async (client: typeof ana) =>
      (await client.get('/threads/t/files')).body.files?.map(({ name: one }: { name: string }) => one);
    expect(await names(cleo)).toEqual(['signed.json']);
    expect((await names(ana))?.toSorted()).toEqual(['own.json', 'signed.json']);
    expect((await cleo.get(`/threads/t/files/${fileId}`)).status).toBe(200);
    expect((await cleo.get(`/threads/t/files/${own}`)).status).toBe(404);
    expect((await bob.get(`/threads/t/files/${fileId}`)).status).toBe(404);
    await expect.poll(async () => (await ana.get('/threads/t')).body.status).toBe('idle');
    // The interrupt is over: its approver adds nothing to the thread of another person.
    expect((await cleo.post('/threads/t/files?name=late.json', {})).status).toBe(404);
    const again = await ana.run({ thread: 't', say: 'contract' });
    const naming = { status: 'resolved', payload: { fileId: own }, undoMs: 60_000 };
    const named = await cleo.post(`/threads/t/interrupts/${again.interrupts[0]?.id}/answer`, naming);
    expect(named.status).toBe(200);
    expect((await cleo.get(`/threads/t/files/${own}`)).status).toBe(404);
    expect((await bob.post('/threads/t/files', {})).status).toBe(404);
  });

  it.each([
    ['email', { principals: ['bob'] }, { principals: ['bob'] }],
    ['pay', { principals: ['bob'] }, { principals: ['bob'] }],
    ['pay', { notAsker: true }, { roles: ['finance'], notAsker: true }],
  ])('a policy that holds %s for %o gives the approvers %o', async (say, approvers, stored) => {
    const { ana, cleo } = setUp({ policies: [() => ({ decision: 'ask', approvers })] });
    const { interrupts } = await ana.run({ thread: 't', say });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    expect((await ana.get(place)).body.approvers).toEqual(stored);
    expect((await cleo.get(place)).status).toBe('roles' in stored ? 200 : 404);
  });

  it('interrupts.approvers names the approvers of a foreign agent when its interrupt is raised', async () => {
    const foreign = async function* foreign({ threadId, runId }: { threadId: string; runId: string }) {
      yield { type: 'RUN_STARTED', threadId, runId };
      const interrupts = [{ id: 'q', reason: 'tool_call', message: 'Deploy?' }];
      yield { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
    };
    const asked: unknown[] = [];
    const { ana, bob, cleo } = setUp({
      agents: { deployer: foreign },
      interrupts: {
        approvers: (interrupt, agent) => {
          asked.push([interrupt.message, agent]);
          return FINANCE;
        },
      },
    });
    const { interrupts } = await ana.run({ agent: 'deployer', thread: 't', say: 'go' });
    expect(asked).toEqual([['Deploy?', 'deployer']]);
    const place = `/threads/t/interrupts/${interrupts[0]?.id}`;
    expect((await cleo.get(place)).body).toMatchObject({ approvers: FINANCE, mayAnswer: true });
    expect((await bob.get(place)).status).toBe(404);
    expect((await ana.post(`${place}/answer`, yes)).body.error.message).toContain('needs the role finance');
  });
});
