import { describe, expect, it } from 'vitest';
import { defineTool } from '../engine/index.ts';
import type { Principal } from '../ledger/index.ts';
import { defineAgent } from '../runs/index.ts';
import { scriptedModel } from '../testing/index.ts';
import type { HostOptions } from './host-options.ts';
import { useDemoHosts } from './testing-support/demo-hosts.ts';
import { answer, approve, summarize } from './testing-support/host-client.ts';

const createDemoHost = useDemoHosts();

function setUp(options: Partial<HostOptions> = {}) {
  const made = createDemoHost({ visibility: 'scope', ...options });
  return { ...made, ana: made.as('ana'), eve: made.as('eve') };
}

const yes = { status: 'resolved', payload: { approved: true } };
const no = { status: 'resolved', payload: { approved: false } };

/** Eve may not use the agent `second`; everything else is allowed. */
const notSecond: HostOptions['authorize'] = ({ id }, _action, { agent }) =>
  id !== 'eve' || agent !== 'second';

describe('a caller who may not answer', () => {
  const notEve: HostOptions['authorize'] = ({ id }, action) => id !== 'eve' || action !== 'answer';

  it('a caller who may not answer cannot approve by a run with resume', async () => {
    const { ana, eve, outside } = setUp({ authorize: notEve });
    const { interrupts } = await ana.run({ say: 'email' });
    const told = await eve.run({ resume: [approve(interrupts[0])] });
    expect([told.error?.code, told.types, outside.done]).toEqual(['ANSWER_FORBIDDEN', ['RUN_ERROR'], []]);
    const allowed = await ana.run({ resume: [approve(interrupts[0])] });
    expect([allowed.outcome, outside.done]).toEqual(['success', ['a@b.c: hello']]);
  });

  it.each([
    ['1.0', (id: string) => ({ resume: [{ interruptId: id, ...yes }] }), {}],
    ['draft', (id: string) => ({ resume: { interruptId: id, payload: { approved: true } } }), {}],
    ['draft without an id', () => ({ resume: { payload: { approved: true } } }), {}],
    [
      'command by id',
      (id: string) => ({ forwardedProps: { command: { resume: { [id]: { approved: true } } } } }),
      { 'ag-ui-dialect': 'command' },
    ],
    [
      'command without an id',
      () => ({ forwardedProps: { command: { resume: { approved: true } } } }),
      { 'ag-ui-dialect': 'command' },
    ],
  ])('cannot approve in the dialect %s', async (_name, rest, headers) => {
    const { ana, eve, outside } = setUp({ authorize: notEve });
    const { interrupts, messages } = await ana.run({ say: 'email' });
    const told = await eve.run({ messages, headers, rest: rest(interrupts[0]?.id ?? '') });
    expect([told.error?.code, outside.done]).toEqual(['ANSWER_FORBIDDEN', []]);
  });

  it.each(['authorize', 'mayAnswer'] as const)(
    'gets ANSWER_FORBIDDEN by %s for every answer, valid or not, before and after another answer',
    async (by) => {
      const { ana, eve } = setUp(
        by === 'authorize'
          ? { authorize: notEve }
          : { interrupts: { mayAnswer: (_record, { id }) => id !== 'eve' } },
      );
      const { interrupts } = await ana.run({ say: 'email' });
      const [asked] = interrupts;
      const place = `/threads/t/interrupts/${asked?.id}`;
      const codes = async () => {
        const inbox = [];
        for (const body of [
          yes,
          no,
          { status: 'cancelled' },
          { status: 'resolved' },
          { status: 'nonsense' },
        ]) {
          const { status, body: said } = await eve.post(`${place}/answer`, body);
          inbox.push([status, said.error.code, said.error.details, said.error.issues]);
        }
        const resumed = [];
        for (const payload of [{ approved: true }, { approved: false }, 'nonsense']) {
          const told = await eve.run({ resume: [answer(asked, payload)] });
          resumed.push([told.error?.code, told.types]);
        }
        const again = await eve.post(`${place}/ask-again`, {});
        return [...inbox, ...resumed, [again.status, again.body.error.code]];
      };
      const refused = [
        ...Array.from({ length: 5 }, () => [403, 'ANSWER_FORBIDDEN', undefined, undefined]),
        ...Array.from({ length: 3 }, () => ['ANSWER_FORBIDDEN', ['RUN_ERROR']]),
        [403, 'ANSWER_FORBIDDEN'],
      ];
      expect(await codes()).toEqual(refused);
      await ana.run({ resume: [approve(asked)] });
      expect(await codes()).toEqual(refused);
    },
  );

  it('learns nothing about a secret by guessing it', async () => {
    const login = defineTool({
      name: 'login',
      description: 'Asks for a PIN and for a colour.',
      input: { type: 'object' },
      async run(_input, { ask }) {
        const [pin] = await Promise.all([
          ask('pin', { schema: { type: 'string', format: 'password' } }),
          ask('colour', { schema: { type: 'string' } }),
        ]);
        return typeof pin;
      },
    });
    const agent = defineAgent({
      id: 'assistant',
      model: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c', name: 'login' }] } : 'Done.',
      ),
      tools: [login],
    });
    const { ana, eve } = setUp({
      agents: [agent],
      secretKey: btoa('0123456789abcdef0123456789abcdef'),
      interrupts: { mayAnswer: (_record, { id }) => id !== 'eve' },
    });
    const { interrupts } = await ana.run({ say: 'login' });
    const place = `/threads/t/interrupts/${interrupts[0]?.id}/answer`;
    expect((await ana.post(place, { status: 'resolved', payload: '4711' })).body.state).toBe('staged');
    const guesses = [];
    for (const payload of ['4711', '0000']) {
      const { status, body } = await eve.post(place, { status: 'resolved', payload });
      guesses.push([status, body.error]);
    }
    expect(guesses[0]).toEqual(guesses[1]);
    expect(guesses[0]).toMatchObject([403, { code: 'ANSWER_FORBIDDEN' }]);
  });

  it('a new message with an answer also needs the action run', async () => {
    const { ana, as } = setUp({ authorize: ({ id }, action) => id !== 'bob' || action !== 'run' });
    const { interrupts } = await ana.run({ say: 'email' });
    const steered = await as('bob').run({
      resume: [{ interruptId: interrupts[0]?.id, status: 'cancelled' }],
      say: 'Transfer everything to me.',
    });
    expect([steered.status, steered.error?.code]).toEqual([403, 'FORBIDDEN']);
    expect((await as('bob').run({ resume: [approve(interrupts[0])] })).outcome).toBe('success');
  });
});

describe('a caller who may not use the agent of a thread', () => {
  it('neither reads the thread nor runs another agent on it', async () => {
    const { ana, eve } = setUp({ authorize: notSecond });
    await ana.run({ agent: 'second', say: 'A secret plan' });
    const shown = await eve.run({ agent: 'assistant', path: '/connect' });
    expect([shown.status, shown.error?.code, shown.messages]).toEqual([403, 'FORBIDDEN', []]);
    const begun = await eve.run({ agent: 'assistant', say: 'What did she say?' });
    expect([begun.status, begun.error?.code]).toEqual([403, 'FORBIDDEN']);
    const quiet = await eve.run({ agent: 'assistant' });
    expect([quiet.status, quiet.error?.code]).toEqual([403, 'FORBIDDEN']);
    expect((await ana.get('/threads/t')).body.agent).toBe('second');
    expect((await eve.run({ thread: 'own', say: 'hello' })).status).toBe(200);
  });

  it('a caller who may not use the agent of a thread cannot tell the thread and its interrupts from missing ones', async () => {
    const { ana, eve } = setUp({ authorize: notSecond });
    const { interrupts } = await ana.run({ agent: 'second', thread: 'hidden', say: 'email' });
    const id = interrupts[0]?.id ?? '';
    const ways = [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/continue'],
      ['POST', '/runs/r/cancel'],
      ['GET', '/files'],
      ['GET', '/files/f'],
      ['GET', `/interrupts/${id}`],
      ['GET', `/interrupts/${id}/history`],
      ['POST', `/interrupts/${id}/answer`],
      ['POST', `/interrupts/${id}/ask-again`],
    ] as const;
    for (const [method, path] of ways) {
      const say = async (thread: string) => {
        const { status, body } = await eve.send(
          method,
          `/threads/${thread}${path}`,
          method === 'POST' ? yes : undefined,
        );
        return [path, status, JSON.stringify(body).replaceAll(thread, 'X')];
      };
      const there = await say('hidden');
      expect(there[1]).toBe(404);
      expect(there).toEqual(await say('nowhere'));
    }
    const told = async (thread: string) =>
      (await eve.run({ agent: 'assistant', thread, resume: [approve(interrupts[0])] })).error?.code;
    expect([await told('hidden'), await told('nowhere')]).toEqual(['INTERRUPT_UNKNOWN', 'INTERRUPT_UNKNOWN']);
    expect((await ana.get(`/threads/hidden/interrupts/${id}`)).body.status).toBe('pending');
    expect((await eve.watch('hidden')).response.status).toBe(404);
  });

  it('neither sees nor revokes the grants of the agent', async () => {
    const { ana, eve } = setUp({ authorize: notSecond });
    const remember = { what: 'tool', where: 'principal' };
    for (const agent of ['assistant', 'second']) {
      const { interrupts } = await ana.run({ agent, thread: agent, say: 'email' });
      await ana.run({ agent, thread: agent, resume: [approve(interrupts[0], { remember })] });
    }
    const grants = async (client: typeof ana) =>
      (await client.get('/grants')).body.grants as readonly { id: string; agent: string }[];
    expect((await grants(eve)).map(({ agent }) => agent)).toEqual(['assistant']);
    for (const { id } of await grants(ana))
      expect((await eve.send('DELETE', `/grants/${id}`)).status).toBe(204);
    expect((await grants(ana)).map(({ agent }) => agent)).toEqual(['second']);
  });

  it('sees nothing of it in lists of interrupts, threads and agents', async () => {
    const { ana, eve } = setUp({ authorize: notSecond });
    await ana.run({ agent: 'second', say: 'email' });
    const lists = await Promise.all(['/interrupts', '/threads', '/agents'].map((path) => eve.get(path)));
    expect(lists.map(({ body }) => body)).toMatchObject([
      { interrupts: [] },
      { threads: [] },
      { agents: [{ id: 'assistant' }] },
    ]);
  });
});

describe('a grant', () => {
  it('a grant is seen and revoked by its giver, its receiver and the owner of its thread only', async () => {
    const { ana, eve } = setUp({ visibility: 'owner' });
    for (const [thread, where] of [
      ['here', 'thread'],
      ['mine', 'principal'],
    ] as const) {
      const { interrupts } = await ana.run({ thread, say: 'email' });
      const remember = { what: 'tool', where };
      await ana.run({ thread, resume: [approve(interrupts[0], { remember })] });
    }
    const grants = async (client: typeof ana) =>
      (await client.get('/grants')).body.grants as readonly { id: string }[];
    const mine = (await grants(ana)).at(-1);
    expect(await grants(ana)).toMatchObject([{ givenByYou: true }, { givenByYou: true, forYou: true }]);
    expect((await grants(ana))[0]).not.toHaveProperty('forYou');
    expect([(await grants(ana)).length, (await grants(eve)).length]).toEqual([2, 0]);
    expect((await eve.send('DELETE', `/grants/${mine?.id}`)).status).toBe(204);
    expect(await grants(ana)).toHaveLength(2);
    expect((await ana.send('DELETE', `/grants/${mine?.id}`)).status).toBe(204);
    expect(await grants(ana)).toHaveLength(1);
  });
});

describe('a caller who may only read', () => {
  it('a caller who may only read gets FORBIDDEN for changes of a thread', async () => {
    const { ana, eve } = setUp({ authorize: ({ id }, action) => id !== 'eve' || action === 'read' });
    const { interrupts } = await ana.run({ say: 'email' });
    const answers = await Promise.all([
      eve.send('DELETE', '/threads/t'),
      eve.send('PATCH', '/threads/t', { title: 'Mine' }),
      eve.post('/threads/t/continue', {}),
      eve.post('/threads/t/runs/r/cancel', {}),
      eve.post('/threads/t/files', {}),
      eve.post(`/threads/t/interrupts/${interrupts[0]?.id}/answer`, yes),
      eve.send('DELETE', '/grants/g'),
    ]);
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'FORBIDDEN'],
      [403, 'ANSWER_FORBIDDEN'],
      [403, 'FORBIDDEN'],
    ]);
    expect((await eve.get('/threads/t')).status).toBe(200);
  });
});

describe('a live stream', () => {
  it('ends without an event if its new thread may not be read', async () => {
    const { ana, eve } = setUp({ authorize: notSecond });
    const watched = await eve.watch('later');
    await watched.until('RUN_FINISHED');
    const rest = watched.rest();
    await ana.run({ agent: 'second', thread: 'later', say: 'A secret plan' });
    expect(await rest).toEqual([]);
    expect((await eve.watch('later', 0)).response.status).toBe(404);
  });

  it('continues if its new thread may be read', async () => {
    const { ana, as } = setUp({ authorize: notSecond });
    const watched = await as('bob').watch('later');
    await watched.until('RUN_FINISHED');
    await ana.run({ agent: 'second', thread: 'later', say: 'hello' });
    const { messages } = summarize(await watched.until('RUN_FINISHED'), []);
    expect(messages.map(({ content }) => content)).toEqual(['hello', 'You said hello.']);
    await watched.close();
  });

  it.each(['/threads/t/events', '/interrupts/events'])(
    'at %s ends when the reader loses the permission, without an event',
    async (path) => {
      let mayRead = true;
      const { ana, host } = setUp({
        authorize: ({ id }) => id !== 'eve' || mayRead,
        accessCheckMs: 5,
      });
      await ana.run({ say: 'email' });
      const request = new Request(`http://localhost${path}`, { headers: { 'x-who': 'eve' } });
      const { body } = await host.fetch(request);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      expect((await reader.read()).done).toBe(false);
      mayRead = false;
      let isDone = false;
      while (!isDone) ({ done: isDone } = await reader.read());
      expect(isDone).toBe(true);
    },
  );

  it.each([
    ['/threads/t/events', 'has no session', () => null],
    ['/interrupts/events', 'has no session', () => null],
    ['/interrupts/events', 'has lost a role', () => ({ id: 'eve', scope: 'acme', roles: ['clerk'] })],
    [
      '/interrupts/events',
      'is another person',
      () => ({ id: 'bob', scope: 'acme', roles: ['cfo', 'clerk'] }),
    ],
  ])('at %s ends when its reader %s any more', async (path, _why, later) => {
    let now: () => Principal | null = () => ({ id: 'eve', scope: 'acme', roles: ['clerk', 'cfo'] });
    let isChecked: () => void = () => undefined;
    const { host } = setUp({ authenticate: () => (isChecked(), now()), accessCheckMs: 5 });
    const { body } = await host.fetch(new Request(`http://localhost${path}`));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    await new Promise<void>((resolve) => {
      isChecked = resolve;
    });
    now = later;
    let isDone = false;
    while (!isDone) ({ done: isDone } = await reader.read());
    expect(isDone).toBe(true);
  });

  it('a live stream of a run ends when its reader may no longer read the thread', async () => {
    let mayRead = true;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async function* slow({ threadId, runId }: { threadId: string; runId: string }) {
      yield { type: 'RUN_STARTED', threadId, runId };
      await held;
      yield { type: 'RUN_FINISHED', threadId, runId };
    };
    const { ana, eve } = setUp({
      agents: { slow },
      authorize: ({ id }) => id !== 'eve' || mayRead,
      accessCheckMs: 5,
    });
    const run = await ana.open({ agent: 'slow', say: 'hello' });
    await run.until('RUN_STARTED');
    const watched = await eve.open({ agent: 'slow', path: '/connect' });
    await watched.until('RUN_FINISHED');
    mayRead = false;
    expect((await watched.rest()).every(({ event }) => event.type !== 'RUN_FINISHED')).toBe(true);
    release();
    await run.rest();
  });
});

describe('a principal', () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ['undefined', undefined],
    ['null', null],
    ['no scope', { id: 'ana' }],
    ['no id', { scope: 'acme' }],
    ['an empty scope', { id: 'ana', scope: '' }],
    ['an empty id', { id: '', scope: 'acme' }],
    ['a scope that is no string', { id: 'ana', scope: 7 }],
    ['an id that is undefined', { id: undefined, scope: 'acme' }],
    ['a string', 'ana'],
    ['the id that erased persons have', { id: 'erased', scope: 'acme' }],
    ['the id of the application', { id: 'holdpoint', scope: 'acme' }],
  ];
  it.each(bad)('a principal of %s is rejected with 401', async (name, principal) => {
    const { host, warned } = setUp({
      authenticate: () => principal as Principal | null,
    });
    const response = await host.fetch(new Request('http://localhost/interrupts'));
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, error.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    const isMissing = name === 'undefined' || name === 'null';
    expect(warned).toEqual(
      isMissing ? [] : [expect.stringMatching(/^authenticate gave a principal with.*: refused\.$/)],
    );
  });

  it('a principal of another scope finds nothing', async () => {
    const { ana, as } = setUp();
    await ana.run({ say: 'email' });
    const rex = as('rex@globex');
    expect((await rex.get('/threads/t')).status).toBe(404);
    expect((await rex.get('/interrupts')).body.interrupts).toEqual([]);
    expect((await ana.get('/threads/t')).status).toBe(200);
  });
});

describe('a run that the answer of another person continues', () => {
  /** `note` needs an approval; `wipe` needs one from everybody but an admin. */
  function wiper() {
    const ran: string[] = [];
    const note = defineTool({
      name: 'note',
      description: 'Notes.',
      input: { type: 'object' },
      approval: true,
      run: (_input, { principal, approvedBy }) => void ran.push(`note ${principal?.id} ${approvedBy?.id}`),
    });
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes.',
      input: { type: 'object' },
      approval: (_input, { principal }) => principal?.roles?.includes('admin') !== true,
      run: (_input, { principal }) => void ran.push(`wipe ${principal?.id}`),
    });
    const model = scriptedModel(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'user') return { calls: [{ id: 'n', name: 'note' }] };
      return ran.length === 1 ? { calls: [{ id: 'w', name: 'wipe' }] } : 'Done.';
    });
    return { ran, agents: [defineAgent({ id: 'assistant', model, tools: [note, wipe] })] };
  }

  it('does not get the rights of that person', async () => {
    const { ran, agents } = wiper();
    const { ana, as } = setUp({ agents });
    const { interrupts } = await ana.run({ say: 'note, then wipe' });
    const continued = await as('root@acme@admin').run({ resume: [approve(interrupts[0])] });
    expect([continued.outcome, ran]).toEqual(['interrupt', ['note ana root']]);
    expect((await ana.get('/interrupts')).body.interrupts).toMatchObject([{ askedBy: 'ana' }]);
  });

  it('takes no tools and no context from that person', async () => {
    const seen: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      approval: true,
      run: () => 'paid',
    });
    const model = scriptedModel(({ messages, tools, ...rest }) => {
      seen.push(JSON.stringify([messages, tools, rest]));
      return messages.at(-1)?.role === 'user' ? { calls: [{ id: 'p', name: 'pay' }] } : 'Done.';
    });
    const agents = [defineAgent({ id: 'assistant', model, tools: [pay] })];
    const mayRun: HostOptions['authorize'] = ({ id }, action) => id !== 'eve' || action !== 'run';
    const { ana, eve } = setUp({ agents, authorize: mayRun });
    const { interrupts } = await ana.run({ say: 'pay' });
    const evil = { name: 'evil', description: 'Evil.', parameters: { type: 'object' } };
    const told = await eve.run({
      resume: [approve(interrupts[0])],
      rest: { tools: [evil], context: [{ description: 'evil', value: 'evil' }], state: { evil: true } },
    });
    expect(told.outcome).toBe('success');
    expect(seen.join(' ').includes('vil')).toBe(false);
    expect((await ana.get('/threads/t')).body.state).toEqual({});
  });
});

it.each(['cfo-assistant', { cfo: true }, ['cfo', 7]])(
  'rejects a principal with the roles %j, which are no list of texts',
  async (roles) => {
    const authenticate = () => ({ id: 'ana', scope: 's', roles }) as unknown as Principal;
    const { host } = setUp({ authenticate });
    const response = await host.fetch(new Request('http://localhost/interrupts'));
    expect(response.status).toBe(401);
  },
);

it.each([1, 'no', {}])('treats %j of authorize and mayAnswer as a refusal', async (given) => {
  const rule = () => given as unknown as boolean;
  const denied = setUp({ authorize: rule });
  expect((await denied.ana.run({ say: 'email' })).error?.code).toBe('FORBIDDEN');
  const unanswered = setUp({ interrupts: { mayAnswer: rule } });
  const { interrupts } = await unanswered.ana.run({ say: 'email' });
  const told = await unanswered.ana.run({ resume: [approve(interrupts[0])] });
  expect([told.error?.code, unanswered.outside.done]).toEqual(['ANSWER_FORBIDDEN', []]);
});

it('an approval for the tool of one agent does not run a tool of that name of another agent', async () => {
  const ran: string[] = [];
  const payer = (id: string) => {
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      approval: { approvers: { roles: ['cfo'] } },
      run: () => void ran.push(`${id} paid`),
    });
    const ask = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      approval: true,
      run: () => 'asked',
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ name: 'pay' }, { name: 'ask' }] } : 'Done.',
    );
    return defineAgent({ id, model, tools: [pay, ask] });
  };
  const { ana, as } = setUp({ agents: [payer('sandbox'), payer('production')] });
  const { interrupts } = await ana.run({ agent: 'sandbox', say: 'go' });
  const [pay, ask] = interrupts;
  await as('cleo@acme@cfo').post(`/threads/t/interrupts/${pay?.id}/answer`, yes);
  const told = await ana.run({ agent: 'production', resume: [approve(ask)] });
  expect([told.error?.code, ran]).toEqual(['INTERRUPT_UNKNOWN', []]);
  await ana.run({ agent: 'sandbox', resume: [approve(ask)] });
  expect(ran).toEqual(['sandbox paid']);
});

it('stores id, scope and roles of a principal, and nothing else', async () => {
  const authenticate = () => ({ id: 'ana', scope: 'acme', roles: ['clerk'], token: 'top-secret' });
  const { ana, store } = setUp({ authenticate });
  const { interrupts } = await ana.run({ say: 'email' });
  await ana.run({ resume: [approve(interrupts[0])] });
  const tables = ['threads', 'runs', 'interrupts', 'executions'] as const;
  const rows = await Promise.all(tables.map((table) => store.list({ table, scope: 'acme' })));
  const history = await store.read({ log: 'history', scope: 'acme', thread: 't' });
  const stored = JSON.stringify([rows, history]);
  expect([stored.includes('clerk'), stored.includes('top-secret')]).toEqual([true, false]);
});
