import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../engine/index.ts';
import { createGate } from '../../host/testing-support/host-client.ts';
import { operatorAccess, pruneThread } from '../../ledger/index.ts';
import { openInterrupts } from '../../ledger/testing-support/as-operator.ts';
import { defineAgent } from '../../runs/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { scriptedModel } from '../../testing/index.ts';
import { storeTaskStore, toA2a } from '../index.ts';
import { stateName } from '../agent/task-view.ts';
import { a2aMessage, textPart } from '../parts.ts';

type Json = Record<string, unknown>;

/**
 * A store of a process that dies at its commit number `at`: before the commit, or after it and before its response. The process stays in
 * memory and cannot read or write any more.
 */
function dyingStore(store: Store, at: number, when: 'before' | 'after') {
  let commits = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Error('The process is dead.');
  };
  const whileAlive = async <Value>(work: () => Promise<Value>): Promise<Value> => (isDead ? die() : work());
  const dying: Store = {
    ...store,
    async commit(batch) {
      commits += 1;
      if (commits < at) return store.commit(batch);
      if (when === 'after' && !isDead) await store.commit(batch);
      return die();
    },
    get: (table, keys) => whileAlive(() => store.get(table, keys)),
    list: (query) => whileAlive(() => store.list(query)),
    count: (query) => whileAlive(() => store.count(query)),
    read: (query) => whileAlive(() => store.read(query)),
    snapshot: (reads) => whileAlive(() => store.snapshot(reads)),
    now: () => whileAlive(() => store.now()),
    watch: () => () => undefined,
  };
  return {
    store: dying,
    get isDead() {
      return isDead;
    },
  };
}

/** A process that serves the agent on a store. The agent pays after an approval, asks for two names, or waits. */
function startProcess(store: Store, paid: string[], held: Promise<void> = Promise.resolve()) {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({}),
    approval: true,
    async run() {
      paid.push('paid');
      await held;
      return 'paid';
    },
  });
  const names = defineTool({
    name: 'names',
    description: 'Asks for two names.',
    input: z.object({}),
    async run(_input, { ask }) {
      paid.push(await ask('first', { message: 'First?', schema: z.string() }));
      paid.push(await ask('second', { message: 'Second?', schema: z.string() }));
      return 'named';
    },
  });
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    async run(_input, { signal }) {
      await Promise.race([held, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
      signal.throwIfAborted();
      return 'waited';
    },
  });
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return `Done: ${String(last.content)}.`;
    const said = JSON.stringify(last?.content);
    const name = ['pay', 'names', 'wait'].find((one) => said.includes(one)) ?? 'wait';
    return { text: 'Let me see.', calls: [{ id: `call-${messages.length}`, name, input: {} }] };
  });
  const agent = defineAgent({ id: 'bank', model, tools: [pay, names, wait] });
  const service = toA2a(agent, { store });
  const fetch = (path: string, body?: Json) =>
    service.fetch(
      new Request(`http://localhost${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const json = async (response: Response) => (await response.json()) as Json;
  return {
    agent,
    fetch,
    async send(text: string, more: Json = {}): Promise<Json> {
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
      const body = await json(await fetch('/message:send', { message }));
      return (body['task'] ?? body) as Json;
    },
    get: async (id: unknown): Promise<Json> => json(await fetch(`/tasks/${String(id)}`)),
    tasks: async (): Promise<Json[]> => (await json(await fetch('/tasks')))['tasks'] as Json[],
    cancel: async (id: unknown): Promise<Json> => json(await fetch(`/tasks/${String(id)}:cancel`, {})),
    /** The events of a subscription, until it ends. */
    async subscribe(id: unknown): Promise<Json[]> {
      const text = await (await fetch(`/tasks/${String(id)}:subscribe`, {})).text();
      return text
        .split('\n')
        .flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5)) as Json] : []));
    },
  };
}

const stateOf = ({ status }: Json): unknown => (status as Json | undefined)?.['state'];
const textsOf = ({ artifacts = [] }: Json): unknown[] =>
  (artifacts as { parts: Json[] }[]).map(({ parts }) => parts.map(({ text }) => text).join(''));
const APPROVES = { parts: [{ data: { approved: true } }] };
const DENIES = { parts: [{ data: { approved: false } }] };
const ASKS = 'TASK_STATE_INPUT_REQUIRED';
const DONE = 'TASK_STATE_COMPLETED';

/** A store with a clock that a test can move. */
function clockedStore() {
  const time = { value: 1_000_000 };
  return { store: memoryStore({ clock: { now: () => time.value } }), time };
}

describe('two processes on one store', () => {
  // The SDK reports the failed writes of a dead process.
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
  afterEach(() => void vi.restoreAllMocks());

  it.each(['before', 'after'] as const)(
    'after a process died %s any commit of an answer, the next reader gets the task to its end and the call runs at most once',
    async (when) => {
      let isSurvived = false;
      for (let at = 1; !isSurvived; at += 1) {
        const { store, time } = clockedStore();
        const paid: string[] = [];
        const other = startProcess(store, paid);
        const asked = await other.send('pay');
        const dying = dyingStore(store, at, when);
        const first = startProcess(dying.store, paid);
        const answer = { ...APPROVES, taskId: asked['id'], messageId: `answer-${at}` };
        const sent = first.send('', answer).catch(() => undefined);
        await expect
          .poll(async () => dying.isDead || stateOf(await other.get(asked['id'])) === DONE)
          .toBe(true);
        if (!dying.isDead) {
          await sent;
          isSurvived = true;
        }
        time.value += 120_000;
        // The client got no response and sends the same message again.
        await other.send('', answer);
        const settled = async () => {
          const task = await other.get(asked['id']);
          return stateOf(task) === DONE || stateOf(task) === ASKS ? task : undefined;
        };
        await expect.poll(settled).toBeDefined();
        let task = (await settled()) ?? {};
        if (stateOf(task) === ASKS) {
          // The process died while the call had begun: a person looks whether it has run.
          const data = paid.length === 0 ? { action: 'retry' } : { action: 'finished', result: 'paid' };
          task = await other.send('', { taskId: asked['id'], parts: [{ data }] });
        }
        expect([at, stateOf(task), paid]).toEqual([at, DONE, ['paid']]);
        expect(textsOf(task)).toEqual(['Let me see.', 'Done: paid.']);
      }
    },
  );

  it.each(['before', 'after'] as const)(
    'after a process died %s any commit of the first turn, a stored task gets to its pause',
    async (when) => {
      let isSurvived = false;
      for (let at = 1; !isSurvived; at += 1) {
        const { store, time } = clockedStore();
        const paid: string[] = [];
        const other = startProcess(store, paid);
        const dying = dyingStore(store, at, when);
        const first = startProcess(dying.store, paid);
        const sent = first.send('pay').catch(() => undefined);
        await expect
          .poll(async () => dying.isDead || (await other.tasks()).some((task) => stateOf(task) === ASKS))
          .toBe(true);
        if (!dying.isDead) {
          await sent;
          isSurvived = true;
        }
        time.value += 120_000;
        const [listed] = await other.tasks();
        // A process that died before it stored the task has told its id to nobody.
        if (listed === undefined) continue;
        await expect.poll(async () => stateOf(await other.get(listed['id']))).toBe(ASKS);
        const end = await other.send('', { ...APPROVES, taskId: listed['id'] });
        expect([at, stateOf(end), paid]).toEqual([at, DONE, ['paid']]);
        expect(textsOf(end)).toEqual(['Let me see.', 'Done: paid.']);
      }
    },
  );

  it('a subscription continues a task whose process died', async () => {
    const { store, time } = clockedStore();
    const paid: string[] = [];
    const dying = dyingStore(store, 3, 'after');
    const other = startProcess(store, paid);
    void startProcess(dying.store, paid)
      .send('pay')
      .catch(() => undefined);
    await expect.poll(() => dying.isDead).toBe(true);
    const [task] = await other.tasks();
    time.value += 120_000;
    const events = await other.subscribe(task?.['id']);
    expect(events[0]).toHaveProperty('task');
    expect(events.at(-1)).toMatchObject({ statusUpdate: { status: { state: ASKS } } });
  });

  it('an answer in another place ends a task whose last message was no answer', async () => {
    const store = memoryStore();
    const paid: string[] = [];
    const [one, two] = [startProcess(store, paid), startProcess(store, paid)];
    const { id: taskId, contextId } = await one.send('pay');
    expect(stateOf(await one.send('names, please', { taskId }))).toBe(ASKS);
    const thread = String(contextId);
    const [open] = await openInterrupts(store, { scope: 'default', thread });
    const payload = { approved: true };
    const resume = [{ interruptId: open!.interrupt.id, status: 'resolved' as const, payload }];
    await two.agent.generate({ store, threadId: thread, resume });
    await expect.poll(async () => stateOf(await one.get(taskId))).toBe(DONE);
    expect(paid).toEqual(['paid']);
    expect(textsOf(await one.get(taskId))).toEqual(['Let me see.', 'Done: paid.']);
  });

  it('a task whose conversation was deleted fails', async () => {
    const store = memoryStore();
    const one = startProcess(store, []);
    const { id, contextId } = await one.send('pay');
    const access = operatorAccess(store, { scope: 'default', thread: String(contextId) });
    expect(await pruneThread(access, { mayGo: () => true })).toBe(true);
    await expect.poll(async () => stateOf(await one.get(id))).toBe('TASK_STATE_FAILED');
  });

  it('different answers at once run the call at most once, and the task ends for both', async () => {
    for (let n = 0; n < 5; n += 1) {
      const store = memoryStore();
      const paid: string[] = [];
      const [one, two] = [startProcess(store, paid), startProcess(store, paid)];
      const { id: taskId } = await one.send('pay');
      const replies = await Promise.all([
        one.send('', { ...APPROVES, taskId }),
        two.send('', { ...DENIES, taskId }),
      ]);
      for (const { get } of [one, two]) await expect.poll(async () => stateOf(await get(taskId))).toBe(DONE);
      expect(paid.length).toBeLessThanOrEqual(1);
      expect(replies.filter((reply) => stateOf(reply) === DONE).length).toBeGreaterThan(0);
      const texts = textsOf(await one.get(taskId));
      expect(texts).toEqual([
        'Let me see.',
        paid.length === 1 ? 'Done: paid.' : expect.stringContaining('reject'),
      ]);
    }
  });

  it('the same answer at once gives both callers the completed task and its texts once', async () => {
    const store = memoryStore();
    const paid: string[] = [];
    const [one, two] = [startProcess(store, paid), startProcess(store, paid)];
    const { id: taskId } = await one.send('pay');
    const answers = await Promise.all([one, two].map(({ send }) => send('', { ...APPROVES, taskId })));
    for (const { get } of [one, two]) await expect.poll(async () => stateOf(await get(taskId))).toBe(DONE);
    expect(paid).toEqual(['paid']);
    expect(textsOf(await two.get(taskId))).toEqual(['Let me see.', 'Done: paid.']);
    expect(answers.filter((answer) => stateOf(answer) === DONE).length).toBeGreaterThan(0);
  });

  it('a message that is sent again answers no second interrupt', async () => {
    const paid: string[] = [];
    const store = memoryStore();
    const [one, two] = [startProcess(store, paid), startProcess(store, paid)];
    const { id: taskId } = await one.send('names');
    const answer = { taskId, messageId: 'first-answer' };
    expect(stateOf(await one.send('Ana', answer))).toBe(ASKS);
    for (const { send } of [one, two]) {
      const again = await send('Ana', answer);
      expect([stateOf(again), JSON.stringify(again['status'])]).toEqual([
        ASKS,
        expect.stringContaining('Second?'),
      ]);
    }
    expect(paid).toEqual(['Ana']);
    expect(stateOf(await two.send('Bo', { taskId }))).toBe(DONE);
    expect(paid).toEqual(['Ana', 'Ana', 'Bo']);
  });

  it('CancelTask stops a run of the other process', async () => {
    const store = memoryStore();
    const held = createGate();
    const [one, two] = [startProcess(store, [], held.opened), startProcess(store, [])];
    const sent = one.send('wait');
    await expect
      .poll(async () => (await store.list({ table: 'executions', status: ['started'] })).rows.length)
      .toBe(1);
    const [task] = await two.tasks();
    expect(stateOf(await two.cancel(task?.['id']))).toBe('TASK_STATE_CANCELED');
    expect(stateOf(await sent)).toBe('TASK_STATE_CANCELED');
    expect(stateOf(await one.get(task?.['id']))).toBe('TASK_STATE_CANCELED');
    // The context is free for another task.
    expect(stateOf(await two.send('names', { contextId: task?.['contextId'] }))).toBe(ASKS);
    held.open();
  });

  it('CancelTask of a task whose process died frees its context', async () => {
    const { store, time } = clockedStore();
    const dying = dyingStore(store, 3, 'after');
    const other = startProcess(store, []);
    void startProcess(dying.store, [])
      .send('wait')
      .catch(() => undefined);
    await expect.poll(() => dying.isDead).toBe(true);
    const [task] = await other.tasks();
    time.value += 120_000;
    expect(stateOf(await other.cancel(task?.['id']))).toBe('TASK_STATE_CANCELED');
    const next = await other.send('names', { contextId: task?.['contextId'] });
    expect([stateOf(next), JSON.stringify(next['status'])]).toEqual([
      ASKS,
      expect.stringContaining('First?'),
    ]);
  });

  it('SubscribeToTask follows a run of the other process', async () => {
    const store = memoryStore();
    const held = createGate();
    const [one, two] = [startProcess(store, [], held.opened), startProcess(store, [])];
    const sent = one.send('wait');
    await expect
      .poll(async () => (await store.list({ table: 'executions', status: ['started'] })).rows.length)
      .toBe(1);
    const [task] = await two.tasks();
    const events = two.subscribe(task?.['id']);
    held.open();
    expect(stateOf(await sent)).toBe(DONE);
    expect(await events).toMatchObject([
      { task: { status: { state: 'TASK_STATE_WORKING' } } },
      { artifactUpdate: { artifact: { parts: [{ text: 'Done: waited.' }] } } },
      { statusUpdate: { status: { state: DONE } } },
    ]);
  });

  it('the process of a task stores its end when the reader of its stream has left', async () => {
    const store = memoryStore();
    const held = createGate();
    const one = startProcess(store, [], held.opened);
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'wait' }] };
    const reader = (await one.fetch('/message:stream', { message })).body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const { task } = JSON.parse(first.slice(first.indexOf('{'))) as { task: { id: string } };
    await reader?.cancel();
    held.open();
    // No request reads the task: that would continue it.
    const stored = async () => storeTaskStore(store, 'bank').load(task.id, new ServerCallContext());
    await expect.poll(async () => stateName((await stored())?.status?.state)).toBe('completed');
  });

  it('a message to a task at work in the other process is rejected', async () => {
    const store = memoryStore();
    const held = createGate();
    const [one, two] = [startProcess(store, [], held.opened), startProcess(store, [])];
    const sent = one.send('wait');
    await expect
      .poll(async () => (await store.list({ table: 'executions', status: ['started'] })).rows.length)
      .toBe(1);
    const [task] = await two.tasks();
    expect(await two.send('more', { taskId: task?.['id'] })).toMatchObject({ error: { code: 400 } });
    held.open();
    expect(stateOf(await sent)).toBe(DONE);
  });
});

describe('storeTaskStore', () => {
  const context = new ServerCallContext();
  const taskAt = (state: TaskState, second: number, texts: readonly string[] = []): Task => ({
    id: 'task',
    contextId: 'context',
    status: { state, message: undefined, timestamp: new Date(second * 1000).toISOString() },
    artifacts: [],
    history: texts.map((text) => a2aMessage({ messageId: text, role: 'user' }, [textPart(text)])),
    metadata: undefined,
  });

  it.each([
    ['keeps a task that has ended', 'completed', ['completed', 'working', 'canceled']],
    ['keeps a newer status', 'input-required', ['working', 'input-required', 'working']],
  ])('storeTaskStore %s', async (_name, end, states) => {
    const tasks = storeTaskStore(memoryStore(), 'agent');
    const times = end === 'completed' ? [1, 2, 3] : [1, 3, 2];
    for (const [index, state] of states.entries()) {
      const number = Object.values(TaskState).find(
        (one) => typeof one === 'number' && stateName(one) === state,
      );
      await tasks.save(taskAt(number as TaskState, times[index] ?? 0), context);
    }
    expect(stateName((await tasks.load('task', context))?.status?.state)).toBe(end);
  });

  it('storeTaskStore keeps the messages of two writers at once', async () => {
    const tasks = storeTaskStore(memoryStore(), 'agent');
    await tasks.save(taskAt(TaskState.TASK_STATE_WORKING, 1, ['a']), context);
    await Promise.all([
      tasks.save(taskAt(TaskState.TASK_STATE_WORKING, 1, ['a', 'b']), context),
      tasks.save(taskAt(TaskState.TASK_STATE_WORKING, 1, ['a', 'c']), context),
    ]);
    const { history = [] } = (await tasks.load('task', context)) ?? {};
    expect(history.map(({ messageId }) => messageId).toSorted()).toEqual(['a', 'b', 'c']);
  });
});
