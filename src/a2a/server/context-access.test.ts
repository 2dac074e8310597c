import type { TaskStore } from '@a2a-js/sdk/server';
import type { Task } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { defineTool, memoryGrants } from '../../engine/index.ts';
import type { Principal } from '../../ledger/index.ts';
import {
  erasePerson,
  eraseThread,
  openInterrupts,
  operatorAccess,
  pruneThread,
  readLog,
  readThread,
  stageAnswer,
  storeGrants,
} from '../../ledger/index.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import type { A2aService, ToA2aOptions } from '../index.ts';
import { toA2a } from '../index.ts';

/** A tool that asks for an approval before it pays. */
function payTool(run: () => unknown = () => 'paid') {
  return defineTool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, approval: true, run });
}

/** An agent that pays after an approval, and otherwise repeats the message. */
function cashier(id: string, paid: string[]) {
  const pay = payTool(() => paid.push(id));
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    const said = last?.role === 'user' ? String(last.content) : '';
    if (said.includes('pay')) return { calls: [{ id: `call-${messages.length}`, name: 'pay' }] };
    return last?.role === 'tool' ? 'Paid.' : `You said ${said}.`;
  });
  return defineAgent({ id, model, tools: [pay] });
}

/** Two agents over one store, each as an A2A service; `x-who` names the caller. */
function setUp({ agent, ...options }: Partial<ToA2aOptions> & { agent?: ReturnType<typeof cashier> } = {}) {
  const store = memoryStore();
  const paid: string[] = [];
  const own = agent ?? cashier('own', paid);
  const other = cashier('other', paid);
  const authenticate = (request: Request): Principal | null => {
    const id = request.headers.get('x-who') ?? '';
    return id === '' ? null : { id, scope: 'acme' };
  };
  const common = { store, authenticate, visibility: 'scope' as const, ...options };
  const services = { own: toA2a(own, common), other: toA2a(other, common) };
  let count = 0;
  /** Calls a method of the JSON-RPC binding. */
  const call = async (service: 'own' | 'other', who: string, method: string, params: object) => {
    const response = await services[service].fetch(
      new Request('http://localhost/', {
        method: 'POST',
        headers: { 'x-who': who, 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }),
    );
    const text = await response.text();
    const body = JSON.parse(text) as {
      result?: { task?: Task } & Record<string, unknown>;
      error?: { message: string };
    };
    return { task: body.result?.task, result: body.result, error: body.error, text };
  };
  const say = (service: 'own' | 'other', who: string, given: object, part: object = { text: 'hello' }) => {
    count += 1;
    const message = { messageId: `m-${count}`, role: 'ROLE_USER', parts: [part], ...given };
    return call(service, who, 'SendMessage', { message });
  };
  return { store, paid, services, call, say, own, other };
}

/** A task store that shows every task to every caller. */
function mapTasks(): TaskStore {
  const tasks = new Map<string, Parameters<TaskStore['save']>[0]>();
  return {
    save: async (task) => void tasks.set(task.id, task),
    load: async (id) => tasks.get(id),
    list: async () => ({
      tasks: [...tasks.values()],
      nextPageToken: '',
      pageSize: tasks.size,
      totalSize: tasks.size,
    }),
  };
}

const yes = { data: { type: 'a2a.input.response', values: { approved: true } } };
const stateOf = (task: Task | undefined) => String(task?.status?.state);

describe('a message to an A2A context', () => {
  it('does not reach a thread of another agent', async () => {
    const { store, say, paid } = setUp();
    const { task } = await say('other', 'ana', {}, { text: 'pay secretly' });
    expect(stateOf(task)).toContain('INPUT_REQUIRED');
    const contextId = task?.contextId ?? '';
    const before = await readThread(operatorAccess(store, { scope: 'acme', thread: contextId }));
    for (const given of [{ contextId }, { contextId, taskId: task?.id }]) {
      const said = await say('own', 'ana', given);
      expect(said.error?.message).toMatch(/not found/i);
      expect(said.text).not.toContain('secretly');
    }
    expect(await readThread(operatorAccess(store, { scope: 'acme', thread: contextId }))).toEqual(before);
    expect(paid).toEqual([]);
  });

  it.each([
    ['authorize', { authorize: ({ id }, _action, { thread }) => id !== 'eve' || thread === 'eves' }],
    ['visibility', { visibility: 'owner' }],
    ['visibility, with tasks in a store of their own', { visibility: 'owner', taskStore: mapTasks() }],
  ] satisfies [string, Partial<ToA2aOptions>][])(
    'does not reach a thread that the caller may not read, by %s',
    async (_name, options) => {
      const { say, call } = setUp(options);
      const { task } = await say('own', 'ana', {}, { text: 'pay secretly' });
      const { contextId = '', id = '' } = task ?? {};
      const answers = [
        await say('own', 'eve', { contextId }),
        await say('own', 'eve', { contextId, taskId: id }, yes),
        await call('own', 'eve', 'GetTask', { id }),
        await call('own', 'eve', 'CancelTask', { id }),
      ];
      for (const { error, text } of answers) {
        expect(error?.message).toMatch(/not found/i);
        expect(text).not.toContain('secretly');
      }
      const listed = await call('own', 'eve', 'ListTasks', {});
      expect(listed.result?.['tasks'] ?? []).toEqual([]);
      expect(stateOf((await call('own', 'ana', 'GetTask', { id })).result as unknown as Task)).toContain(
        'INPUT_REQUIRED',
      );
      expect(stateOf((await say('own', 'eve', { contextId: 'eves' })).task)).toContain('COMPLETED');
    },
  );
});

describe.each(['authorize', 'mayAnswer'] as const)('a caller of A2A who may not answer, by %s', (by) => {
  const rules: Partial<ToA2aOptions> =
    by === 'authorize'
      ? { authorize: ({ id }, action) => id !== 'eve' || action !== 'answer' }
      : { interrupts: { mayAnswer: (_record, { id }) => id !== 'eve' } };

  it('a caller of A2A who may not answer gets ANSWER_FORBIDDEN for every answer, and the call waits for another caller', async () => {
    const { say, paid } = setUp(rules);
    const { task } = await say('own', 'ana', {}, { text: 'pay' });
    const given = { contextId: task?.contextId, taskId: task?.id };
    const wrong = { data: { type: 'a2a.input.response', values: { approved: 'perhaps' } } };
    const refused = [];
    for (const part of [yes, wrong, { text: 'yes' }])
      refused.push((await say('own', 'eve', given, part)).error?.message);
    expect(new Set(refused).size).toBe(1);
    expect(refused[0]).toContain('ANSWER_FORBIDDEN');
    expect(paid).toEqual([]);
    expect(stateOf((await say('own', 'ana', given, yes)).task)).toContain('COMPLETED');
    expect(paid).toEqual(['own']);
  });
});

describe('a caller of A2A who may read and nothing else', () => {
  it('a caller of A2A who may read and nothing else gets FORBIDDEN for a message and for CancelTask', async () => {
    const { say, call } = setUp({ authorize: ({ id }, action) => id !== 'eve' || action === 'read' });
    const { task } = await say('own', 'ana', {}, { text: 'pay' });
    const { contextId = '', id = '' } = task ?? {};
    expect((await say('own', 'eve', { contextId })).error?.message).toContain('FORBIDDEN');
    expect((await say('own', 'eve', {})).error?.message).toContain('FORBIDDEN');
    expect((await call('own', 'eve', 'CancelTask', { id })).error?.message).toContain('FORBIDDEN');
    expect((await call('own', 'eve', 'GetTask', { id })).error).toBeUndefined();
  });
});

describe('a run of an A2A service', () => {
  /** An agent that pays twice, and after that wipes, without an approval. */
  function wiper(wiped: string[]) {
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes.',
      input: { type: 'object' },
      run: () => wiped.push('all'),
    });
    const model = scriptedModel(({ messages }) => {
      const made = messages.filter(({ role }) => role === 'tool').length;
      if (made === 0) return { calls: ['one', 'two'].map((id) => ({ id, name: 'pay' })) };
      return made === 2 ? { calls: [{ id: 'three', name: 'wipe' }] } : 'Done.';
    });
    return defineAgent({ id: 'own', model, tools: [payTool(), wipe] });
  }

  it('a run of an A2A service obeys the policies also after its task was cancelled', async () => {
    const wiped: string[] = [];
    const { store, say, call } = setUp({
      agent: wiper(wiped),
      context: { policies: [({ toolName }) => (toolName === 'wipe' ? 'deny' : 'allow')] },
    });
    const { task } = await say('own', 'ana', {}, { text: 'pay' });
    // One call is approved in an inbox, so the run goes on after the other one is cancelled.
    const access = operatorAccess(store, { scope: 'acme', thread: task?.contextId ?? '' });
    const [first] = await openInterrupts(access);
    const entry = {
      interruptId: first?.interrupt.id ?? '',
      status: 'resolved' as const,
      payload: { approved: true },
    };
    await stageAnswer(access, { entry, via: 'inbox' });
    await call('own', 'ana', 'CancelTask', { id: task?.id });
    const messages = await readLog(access, { log: 'messages', after: 0, limit: 100 });
    expect(JSON.stringify(messages)).toContain('A policy does not allow wipe.');
    expect(wiped).toEqual([]);
  });

  it('a run of an A2A service takes no answer that names a file, because the service has no files', async () => {
    const taken: unknown[] = [];
    const attach = defineTool({
      name: 'attach',
      description: 'Attaches a file.',
      input: { type: 'object' },
      async run(_input, { ask }) {
        const schema = {
          type: 'object',
          properties: { file: { type: 'string', format: 'file', maxBytes: 1 } },
        };
        taken.push(await ask('file', { message: 'Which file?', schema }));
        return 'attached';
      },
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c', name: 'attach' }] } : 'Done.',
    );
    const { say } = setUp({ agent: defineAgent({ id: 'own', model, tools: [attach] }) });
    const { task } = await say('own', 'ana', {});
    const given = { contextId: task?.contextId, taskId: task?.id };
    const answer = { data: { type: 'a2a.input.response', values: { file: 'of-another-thread' } } };
    expect(stateOf((await say('own', 'ana', given, answer)).task)).toContain('INPUT_REQUIRED');
    expect(taken).toEqual([]);
  });

  it.each(['memory', 'a store'])(
    'a run of an A2A service takes no grant of another scope, in %s',
    async (kind) => {
      const kept = memoryStore();
      const { say, paid } = setUp({
        store: kept,
        context: { grants: kind === 'memory' ? memoryGrants() : storeGrants(kept, 'acme') },
        authenticate: (request) => ({ id: 'ana', scope: request.headers.get('x-who') ?? '' }),
      });
      const { task } = await say('own', 'acme', {}, { text: 'pay' });
      const values = { approved: true, remember: { what: 'tool', where: 'principal' } };
      const given = { contextId: task?.contextId, taskId: task?.id };
      await say('own', 'acme', given, { data: { type: 'a2a.input.response', values } });
      expect(stateOf((await say('own', 'acme', {}, { text: 'pay' })).task)).toContain('COMPLETED');
      const other = await say('own', 'other', {}, { text: 'pay' });
      expect(stateOf(other.task)).toContain('INPUT_REQUIRED');
      const again = { contextId: other.task?.contextId, taskId: other.task?.id };
      await say('own', 'other', again, { data: { type: 'a2a.input.response', values } });
      expect(stateOf((await say('own', 'other', {}, { text: 'pay' })).task)).toContain('COMPLETED');
      expect(paid).toHaveLength(4);
      expect(await storeGrants(kept, 'acme').list()).toHaveLength(kind === 'memory' ? 0 : 1);
    },
  );

  it('a run of an A2A service is not stopped by a caller of another scope who names its task', async () => {
    const scopes = new Map([['eve', 'other']]);
    const { say, services } = setUp({
      authenticate: (request) => {
        const id = request.headers.get('x-who') ?? '';
        return { id, scope: scopes.get(id) ?? 'acme' };
      },
    });
    const { task } = await say('own', 'ana', {}, { text: 'pay' });
    const given = { contextId: task?.contextId, taskId: task?.id };
    const { taskStore } = services.own;
    const load = taskStore.load.bind(taskStore);
    let loads = 0;
    let mine: ReturnType<typeof say> | undefined;
    // Before the SDK rejects the message of the other scope, the owner answers.
    taskStore.load = async (id, context) => {
      const found = await load(id, context);
      if (found === undefined) loads += 1;
      if (found === undefined && loads === 2) await (mine = say('own', 'ana', given, yes));
      return found;
    };
    expect((await say('own', 'eve', given, yes)).error?.message).toMatch(/not found/i);
    expect(stateOf((await mine)?.task)).toContain('COMPLETED');
  });
});

describe('a page that calls an A2A service', () => {
  it.each(['/', '/message:send'])(
    'a page that calls an A2A service at %s names the type of its body',
    async (path) => {
      const { services, paid, say } = setUp();
      const { task } = await say('own', 'ana', {}, { text: 'pay' });
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [yes], taskId: task?.id };
      const params =
        path === '/' ? { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } } : { message };
      const post = (headers: Record<string, string>) =>
        services.own.fetch(
          new Request(`http://localhost${path}`, {
            method: 'POST',
            headers: { 'x-who': 'ana', 'a2a-version': '1.0', ...headers },
            body: new TextEncoder().encode(JSON.stringify(params)),
          }),
        );
      expect(await (await post({ origin: 'https://evil.example' })).text()).toContain('application/json');
      expect(paid).toEqual([]);
      await post({ origin: 'https://app.example', 'content-type': 'application/json' });
      expect(paid).toEqual(['own']);
    },
  );
});

describe('an erasure', () => {
  it.each(['thread', 'deleted thread', 'person'])(
    'an erasure of a %s removes its A2A tasks',
    async (what) => {
      const { store, say, call } = setUp();
      const { task } = await say('own', 'ana', {}, { text: 'Hello, says ana' });
      const other = await say('own', 'bob', {}, { text: 'Hello, says bob' });
      await say('own', 'ana', { contextId: other.task?.contextId }, { text: 'Again, says ana' });
      const key = { scope: 'acme', thread: task?.contextId ?? '' };
      if (what === 'deleted thread') await pruneThread(operatorAccess(store, key), { mayGo: () => true });
      if (what === 'person') await erasePerson(store, { scope: 'acme', person: 'ana' });
      else expect(await eraseThread(store, key)).toBe(true);
      expect((await call('own', 'ana', 'GetTask', { id: task?.id })).error?.message).toMatch(/not found/i);
      const { rows } = await store.list({ table: 'files', scope: 'acme', limit: 100 });
      const left = JSON.stringify(rows);
      expect(left).not.toContain('Hello, says ana');
      expect(left).toContain('Hello, says bob');
      expect(left.includes('Again, says ana')).toBe(what !== 'person');
      expect(await eraseThread(store, key)).toBe(false);
    },
  );
});

describe('a stream of A2A', () => {
  const rpc = (method: string, id: string) => ({ jsonrpc: '2.0', id: 1, method, params: { id } });

  it.each([
    ['REST', 'leaves', '/tasks/:id:subscribe', '1.0', () => ({})],
    ['JSON-RPC', 'leaves', '', '1.0', (id: string) => rpc('SubscribeToTask', id)],
    ['JSON-RPC 0.3', 'leaves', '', '0.3', (id: string) => rpc('tasks/resubscribe', id)],
    ['REST', 'disconnects', '/tasks/:id:subscribe', '1.0', () => ({})],
  ])('over %s ends when its reader %s, while the task waits', async (_form, how, path, version, body) => {
    const memory = memoryStore();
    let watchers = 0;
    const store: Store = Object.assign(Object.create(memory) as Store, {
      watch(listener: Parameters<Store['watch']>[0]) {
        watchers += 1;
        const stop = memory.watch(listener);
        return () => {
          watchers -= 1;
          stop();
        };
      },
    });
    const model = scriptedModel([{ calls: [{ id: 'c', name: 'pay' }] }]);
    const service = toA2a(defineAgent({ id: 'payer', tools: [payTool()], model }), { store });
    const connection = new AbortController();
    const post = (to: string, given: object, a2aVersion = '1.0') =>
      service.fetch(
        new Request(`http://localhost${to}`, {
          method: 'POST',
          headers: { 'a2a-version': a2aVersion, 'content-type': 'application/json' },
          body: JSON.stringify(given),
          signal: connection.signal,
        }),
      );
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'pay' }] };
    const { task } = (await (await post('/message:send', { message })).json()) as { task: { id: string } };
    const response = await post(path.replace(':id', task.id), body(task.id), version);
    const reader = response.body?.getReader();
    await reader?.read();
    await expect.poll(() => watchers).toBe(1);
    if (how === 'leaves') void reader?.cancel();
    else connection.abort();
    await expect.poll(() => watchers, { timeout: 5000 }).toBe(0);
  });

  it.each([
    ['permission to read', 404],
    ['session', 401],
  ])('ends when its reader loses the %s, while the task works', async (lost, status) => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      input: { type: 'object' },
      run: () => held,
    });
    const agent = defineAgent({
      id: 'slow',
      tools: [wait],
      model: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [{ id: 'c', name: 'wait' }] } : 'Done.',
      ),
    });
    let mayRead = true;
    const service = toA2a(agent, {
      store: memoryStore(),
      authenticate(request) {
        const id = request.headers.get('x-who') ?? '';
        return lost === 'session' && id === 'eve' && !mayRead ? null : { id, scope: 'acme' };
      },
      visibility: 'scope',
      ...(lost === 'session' ? {} : { authorize: ({ id }) => id !== 'eve' || mayRead }),
      accessCheckMs: 5,
    });
    const post = (path: string, who: string, body?: object) =>
      service.fetch(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: { 'x-who': who, 'a2a-version': '1.0', 'content-type': 'application/json' },
          body: JSON.stringify(body ?? {}),
        }),
      );
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
    const begun = (await post('/message:stream', 'ana', { message })).body?.getReader();
    const first = new TextDecoder().decode((await begun?.read())?.value);
    const { task } = JSON.parse(first.slice(first.indexOf('{'))) as { task: { id: string } };
    const subscribed = await post(`/tasks/${task.id}:subscribe`, 'eve');
    expect(subscribed.status).toBe(200);
    const watched = subscribed.body?.getReader();
    expect((await watched?.read())?.done).toBe(false);
    mayRead = false;
    let isDone = false;
    while (!isDone) isDone = (await watched?.read())?.done ?? true;
    expect((await post(`/tasks/${task.id}:subscribe`, 'eve')).status).toBe(status);
    release();
    while ((await begun?.read())?.done === false);
  });
});

describe('an A2A service', () => {
  const ask = async (service: A2aService, url: string, headers: Record<string, string> = {}) =>
    (await service.fetch(new Request(`${url}/tasks`, { headers: { 'a2a-version': '1.0', ...headers } })))
      .status;

  it('an A2A service without authenticate serves loopback names only', async () => {
    const service = toA2a(cashier('own', []), { store: memoryStore() });
    expect(await ask(service, 'http://localhost:4680')).toBe(200);
    expect(await ask(service, 'http://127.0.0.1', { origin: 'http://localhost:5173' })).toBe(200);
    expect(await ask(service, 'http://agent.example')).toBe(403);
    expect(await ask(service, 'http://localhost', { host: 'evil.example' })).toBe(403);
    for (const origin of ['https://evil.example', 'null'])
      expect(await ask(service, 'http://localhost', { origin })).toBe(403);
    const card = new Request('http://agent.example/.well-known/agent-card.json');
    expect((await service.fetch(card)).status).toBe(403);
  });

  it('an A2A service without authenticate serves every address with allowUnauthenticated', async () => {
    const service = toA2a(cashier('own', []), { store: memoryStore(), allowUnauthenticated: true });
    expect(await ask(service, 'http://agent.example')).toBe(200);
  });

  it.each([
    ['null', null, 0],
    ['undefined', undefined, 0],
    ['no scope', { id: 'ana' }, 1],
    ['an empty id', { id: '', scope: 'acme' }, 1],
  ])('rejects a principal of %s with 401 and WWW-Authenticate', async (_name, principal, warnings) => {
    const warned: string[] = [];
    const service = toA2a(cashier('own', []), {
      store: memoryStore(),
      authenticate: () => principal as Principal | null,
      context: { onWarning: (warning) => warned.push(warning) },
    });
    const response = await service.fetch(new Request('https://agent.example/tasks'));
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(warned).toHaveLength(warnings);
    const card = new Request('https://agent.example/.well-known/agent-card.json');
    expect((await service.fetch(card)).status).toBe(200);
  });

  it('an A2A service limits the failed logins of an address as a host does', async () => {
    const service = toA2a(cashier('own', []), {
      store: memoryStore(),
      authenticate: (request) =>
        request.headers.get('authorization') === 'right' ? { id: 'ana', scope: 'acme' } : null,
      limits: { failedLoginsPerMinute: 2 },
    });
    const statusOf = async (clientAddress: string, authorization: string) => {
      const headers = { authorization, 'a2a-version': '1.0' };
      return (await service.fetch(new Request('https://agent.example/tasks', { headers }), { clientAddress }))
        .status;
    };
    const statuses: number[] = [];
    for (const authorization of ['one', 'two', 'three', 'right'])
      statuses.push(await statusOf('10.0.0.1', authorization));
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect(await statusOf('10.0.0.2', 'right')).toBe(200);
  });

  it('an A2A service limits the requests of a principal as a host does', async () => {
    const service = toA2a(cashier('own', []), {
      store: memoryStore(),
      authenticate: (request) => ({ id: request.headers.get('authorization') ?? '', scope: 'acme' }),
      limits: { requestsPerMinute: 2 },
    });
    const statusOf = async (authorization: string) => {
      const headers = { authorization, 'a2a-version': '1.0' };
      return (await service.fetch(new Request('https://agent.example/tasks', { headers }))).status;
    };
    const statuses: number[] = [];
    for (const who of ['ana', 'ana', 'ana', 'bob']) statuses.push(await statusOf(who));
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

it('an A2A service keeps its answers out of caches, and says when to try again', async () => {
  const service = toA2a(cashier('own', []), {
    store: memoryStore(),
    authenticate: (request) => ({ id: request.headers.get('authorization') ?? '', scope: 'acme' }),
    limits: { requestsPerMinute: 2 },
  });
  const headersOf = async (path: string) => {
    const headers = { authorization: 'ana', 'a2a-version': '1.0' };
    return (await service.fetch(new Request(`https://agent.example${path}`, { headers }))).headers;
  };
  for (const path of ['/tasks', '/tasks/none'])
    expect((await headersOf(path)).get('cache-control')).toContain('no-store');
  const refused = await headersOf('/tasks');
  expect([refused.get('cache-control'), refused.get('retry-after')]).toEqual(['no-store', '30']);
  expect((await headersOf('/.well-known/agent-card.json')).get('cache-control')).not.toContain('no-store');
});

describe('the card of an A2A service', () => {
  const cardOf = async (options: Partial<ToA2aOptions> = {}, headers: Record<string, string> = {}) => {
    const service = toA2a(cashier('own', []), { store: memoryStore(), ...options });
    return service.fetch(new Request('http://localhost/.well-known/agent-card.json', { headers }));
  };

  it('the card of an A2A service has the members of 0.3 for clients that ask for no version', async () => {
    const card = await (await cardOf()).json();
    expect(card).toMatchObject({
      url: 'http://localhost',
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3',
      supportedInterfaces: [
        { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
    });
  });

  it.each<[string, Partial<ToA2aOptions>, Record<string, string>]>([
    ['for a client that asks for 1.0', {}, { 'a2a-version': '1.0' }],
    ['for every client with `legacy: false`', { legacy: false }, {}],
  ])('the card of an A2A service has no member of 0.3 %s', async (_name, options, headers) => {
    const authenticate = () => null;
    const card = (await (await cardOf({ authenticate, ...options }, headers)).json()) as object;
    expect(Object.keys(card).toSorted()).toEqual([
      'capabilities',
      'defaultInputModes',
      'defaultOutputModes',
      'description',
      'name',
      'securityRequirements',
      'securitySchemes',
      'skills',
      'supportedInterfaces',
      'version',
    ]);
  });

  it('an A2A service with `legacy: false` rejects a request of 0.3', async () => {
    const service = toA2a(cashier('own', []), { store: memoryStore(), legacy: false });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: {} });
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/', { method: 'POST', body, headers });
    expect(await (await service.fetch(request)).json()).toMatchObject({ id: 1, error: { code: -32_009 } });
  });

  it('the card of an A2A service that authenticates names the scheme in the form of each version', async () => {
    const authenticate = () => null;
    const current = await (await cardOf({ authenticate }, { 'a2a-version': '1.0' })).json();
    expect(current).toMatchObject({
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    });
    expect(await (await cardOf({ authenticate })).json()).toMatchObject({
      securitySchemes: { bearer: { type: 'http', scheme: 'Bearer' } },
      security: [{ bearer: [] }],
    });
  });

  it('the card of an A2A service whose application lists 1.0 alone is that of 1.0, and 0.3 is rejected', async () => {
    const at = { url: 'http://localhost', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' };
    const card = { supportedInterfaces: [at] };
    expect(await (await cardOf({ card })).json()).not.toHaveProperty('preferredTransport');
    const service = toA2a(cashier('own', []), { store: memoryStore(), card });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: {} });
    const response = await service.fetch(
      new Request('http://localhost/', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    );
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_009 } });
  });

  it('an A2A service whose card says no streaming rejects streams', async () => {
    const card = { capabilities: { streaming: false, extensions: [] } };
    const service = toA2a(cashier('own', []), { store: memoryStore(), card });
    const post = async (path: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await service.fetch(new Request(`http://localhost${path}`, request))).json() as Promise<{
        task?: Task;
      }>;
    };
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'pay' }] };
    const { task } = await post('/message:send', { message });
    const unsupported = { error: { details: [{ reason: 'UNSUPPORTED_OPERATION' }] } };
    expect(await post('/message:stream', { message })).toMatchObject(unsupported);
    expect(await post(`/tasks/${task?.id}:subscribe`)).toMatchObject(unsupported);
  });

  it('the card of an A2A service is not sent again to a client that has it', async () => {
    const etag = (await cardOf()).headers.get('etag') ?? '';
    const again = await cardOf({}, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await cardOf({}, { 'if-none-match': '"other"' })).status).toBe(200);
  });
});
