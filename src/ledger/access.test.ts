import { describe, expect, it } from 'vitest';
import { memoryStore } from '../store/memory/index.ts';
import type { Access, AccessRules, Principal, Resource } from './index.ts';
import {
  beginRun,
  createGate,
  operatorAccess,
  pruneThread,
  readLog,
  readThread,
  requestCancel,
} from './index.ts';
import { ana, key, newInterrupt, waiting } from './testing-support/ledger-world.ts';

const eve: Principal = { id: 'eve', scope: 's' };

/** A thread of the agent `a` with the open interrupt `q`, and a gate that records its checks. */
async function setUp(allows: (action: string, resource: Resource) => boolean, rules: AccessRules = {}) {
  const store = memoryStore();
  const asked: string[] = [];
  const gate = createGate(store, {
    authorize(_principal, action, resource) {
      const { agent = '-', thread = '-', interrupt } = resource;
      asked.push([action, agent, thread, interrupt?.interrupt.id ?? '-'].join(' '));
      return allows(action, resource);
    },
    visibility: 'scope',
    ...rules,
  });
  return { store, gate, asked };
}

describe('an Access value', () => {
  it('an Access value cannot be built from its parts', async () => {
    const { store } = await setUp(() => true);
    const forged = { key, principal: ana, action: 'read' as const };
    // @ts-expect-error -- the private member is missing
    await expect(readThread(forged)).rejects.toThrow(TypeError);
    // @ts-expect-error -- a store and a key are no access
    await expect(readThread(store, key)).rejects.toThrow(TypeError);
  });

  it('an Access value for one action does not compile for another action', async () => {
    const { gate, store } = await setUp(() => true);
    const read: Access<'read'> = await gate.checkThread(ana, 'read', { thread: 't' });
    // @ts-expect-error -- read is not cancel
    await expect(requestCancel(read, 'r')).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    // @ts-expect-error -- read is not delete
    expect(await pruneThread(read, { mayGo: () => true })).toBe(false);
    await expect(requestCancel(operatorAccess(store, key), 'r')).rejects.toMatchObject({
      code: 'THREAD_UNKNOWN',
    });
  });
});

describe('the gate', () => {
  it('checks the agent of the thread and the requested agent', async () => {
    const { gate, store, asked } = await setUp(() => true);
    await gate.checkThread(ana, 'run', { thread: 't', agent: 'b' });
    await waiting(store, [newInterrupt('q')]);
    await gate.checkThread(ana, 'run', { thread: 't', agent: 'b' });
    await gate.checkThread(ana, 'read', { thread: 't' });
    await gate.checkAnswers(ana, { thread: 't', agent: 'a', interruptIds: ['q'] });
    expect(asked).toEqual(['run b t -', 'run a t -', 'run b t -', 'read a t -', 'answer a t q']);
  });

  it('checks a thread again that was created after the check', async () => {
    const { gate, store } = await setUp((_action, { agent }) => agent !== 'a');
    const access = await gate.checkThread(eve, 'read', { thread: 't' });
    expect(await readThread(access)).toBeUndefined();
    await waiting(store, [newInterrupt('q')]);
    await expect(readThread(access)).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    await expect(readLog(access, { log: 'messages', after: 0, limit: 10 })).rejects.toMatchObject({
      code: 'THREAD_UNKNOWN',
    });
  });

  it('checks the owner of a thread that was created after the check, also if the agent was checked', async () => {
    const { gate, store } = await setUp(() => true, { visibility: 'owner' });
    const place = { thread: 't', agent: 'a' };
    const [read, run] = [
      await gate.checkThread(eve, 'read', place),
      await gate.checkThread(eve, 'run', place),
    ];
    await waiting(store, [newInterrupt('q')]);
    const hidden = { code: 'THREAD_UNKNOWN' };
    await expect(readThread(read)).rejects.toMatchObject(hidden);
    await expect(readLog(read, { log: 'messages', after: 0, limit: 10 })).rejects.toMatchObject(hidden);
    const begin = { runId: 'r', agent: 'a', entries: [], newMessages: ['mine'], via: 'ag-ui' as const };
    await expect(beginRun(run, begin)).rejects.toMatchObject(hidden);
    expect(await readThread(await gate.checkThread(ana, 'read', place))).toMatchObject({ owner: 'ana' });
  });

  it('asks authorize again about a thread that another person created after the check', async () => {
    const { gate, store } = await setUp((_action, { owner = 'eve' }) => owner === 'eve');
    const place = { thread: 't', agent: 'a' };
    const [read, run] = [
      await gate.checkThread(eve, 'read', place),
      await gate.checkThread(eve, 'run', place),
    ];
    await waiting(store, [newInterrupt('q')]);
    await expect(readThread(read)).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
    const begin = { runId: 'r', agent: 'a', entries: [], newMessages: ['mine'], via: 'ag-ui' as const };
    await expect(beginRun(run, begin)).rejects.toMatchObject({ code: 'THREAD_UNKNOWN' });
  });

  it.each([
    ['may read the thread', (action: string) => action === 'read', 'FORBIDDEN', 'ANSWER_FORBIDDEN'],
    [
      'may not know that the thread exists',
      (_action: string, { agent }: Resource) => agent === undefined,
      'THREAD_UNKNOWN',
      'INTERRUPT_UNKNOWN',
    ],
    ['may do nothing at all', () => false, 'FORBIDDEN', 'ANSWER_FORBIDDEN'],
  ])('rejects a principal who %s', async (_name, allows, thread, interrupt) => {
    const { gate, store } = await setUp(allows);
    await waiting(store, [newInterrupt('q')]);
    await expect(gate.checkThread(eve, 'delete', { thread: 't' })).rejects.toMatchObject({ code: thread });
    const place = { thread: 't', interruptId: 'q' };
    await expect(gate.checkInterrupt(eve, 'answer', place)).rejects.toMatchObject({ code: interrupt });
    const answers = gate.checkAnswers(eve, { thread: 't', interruptIds: ['q'] });
    await expect(answers).rejects.toMatchObject({ code: interrupt });
  });

  it('gives a principal without permissions the same error for existing and missing interrupts', async () => {
    const { gate, store } = await setUp(() => false);
    await waiting(store, [newInterrupt('q')]);
    const say = async (thread: string, interruptId: string) => [
      await gate.checkInterrupt(eve, 'answer', { thread, interruptId }).catch(String),
      await gate.checkInterrupt(eve, 'read', { thread, interruptId }).catch(String),
      await gate.checkAnswers(eve, { thread, interruptIds: [interruptId] }).catch(String),
    ];
    const there = await say('t', 'q');
    expect(there).toEqual(await say('t', 'other'));
    expect(there).toEqual(await say('nowhere', 'q'));
  });

  it('hides threads of other agents with onlyAgent', async () => {
    const { gate, store } = await setUp(() => true, { onlyAgent: 'b' });
    await waiting(store, [newInterrupt('q')]);
    await expect(gate.checkThread(ana, 'read', { thread: 't' })).rejects.toMatchObject({
      code: 'THREAD_UNKNOWN',
    });
    const run = gate.checkThread(ana, 'run', { thread: 't', agent: 'b' });
    await expect(run).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('treats a rule that returns nothing as no', async () => {
    const { gate } = await setUp(() => undefined as unknown as boolean);
    await expect(gate.checkThread(ana, 'read', { thread: 't' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
