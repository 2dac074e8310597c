import { describe, expect, it, vi } from 'vitest';
import { createGate } from '../../host/testing-support/host-client.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { storeMemory } from './a2a-memory.ts';
import type { A2aMemory } from '../index.ts';
import { textPart } from '../parts.ts';
import { ASKS, DONE, EMAIL_REQUEST, executor, signUp, WORKING } from '../testing-support/executors.ts';
import { scriptedHandler } from '../testing-support/scripted-handler.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { start, bridge, open, serve } = useBridge();
const ANSWER = { email: 'a@b.c' };

/** A fetch that loses the nth message before it is sent, or its response. */
function losing(n: number, when: 'before' | 'after'): typeof fetch {
  let messages = 0;
  return async (input, init) => {
    const isMessage = typeof init?.body === 'string' && init.body.includes('"messageId"');
    if (isMessage) messages += 1;
    if (!isMessage || messages !== n) return fetch(input, init);
    if (when === 'after') await (await fetch(input, init)).text();
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  };
}

/** An agent that asks and cannot list its tasks. */
function unlisted() {
  return scriptedHandler(async function* asks(_message, { task, statusOf }) {
    task.status = statusOf(task, ASKS, { parts: [textPart('Well?')] });
    yield { $case: 'task', value: structuredClone(task) };
  }).handler;
}

describe('a second a2aAgent on the same store', () => {
  it('answers the interrupt of the first one under the same id', async () => {
    const taken: unknown[] = [];
    const store = memoryStore();
    const { thread, server } = await start(signUp(taken), { store });
    const paused = await thread.say('sign me up');
    thread.handOver(bridge(server, { store }));
    expect((await thread.answer(paused, ANSWER)).outcome).toBe('success');
    expect(taken).toHaveLength(1);
  });

  it('follows a working task and sends nothing', async () => {
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const store = memoryStore();
    const { thread, server } = await start(
      executor(async (speaker) => {
        speaker.task(WORKING);
        await gate;
        speaker.status(DONE, [textPart('Done.')]);
      }),
      { store },
    );
    const stop = new AbortController();
    await thread.say('go', {
      signal: stop.signal,
      onEvent: ({ type }) => type === 'STATE_DELTA' && stop.abort(),
    });
    thread.handOver(bridge(server, { store }));
    finish();
    expect((await thread.again()).outcome).toBe('success');
    expect(thread.texts()).toEqual(['Done.']);
    expect(server.sent()).toHaveLength(1);
  });

  it('continues the numbers of interrupt ids', async () => {
    const store = memoryStore();
    const { handler } = scriptedHandler(async function* asks(_message, { task, statusOf }) {
      task.status = statusOf(task, ASKS, { parts: [textPart('Again?')] });
      yield { $case: 'task', value: structuredClone(task) };
    });
    const { thread, server } = await start(handler, { store });
    const first = await thread.say('go');
    thread.handOver(bridge(server, { store }));
    const second = await thread.answer(first, 'yes');
    expect(second.interrupts[0]?.id).toBe(first.interrupts[0]?.id.replace(/-1$/, '-2'));
  });

  it('finds the task of a first message whose response was lost by the id of the message', async () => {
    const { thread, server } = await start(signUp(), { fetch: losing(1, 'after') });
    expect((await thread.say('sign me up')).interrupts).toHaveLength(1);
    expect(server.sent()).toHaveLength(1);
  });

  it('fails with RUN_LOST and does not resend a first message that may have arrived at an agent without ListTasks', async () => {
    const store = memoryStore();
    const { thread, server } = await start(unlisted(), { store, fetch: losing(1, 'after') });
    expect((await thread.say('sign me up')).error?.code).toBe('RUN_LOST');
    thread.handOver(bridge(server, { store }));
    expect((await thread.again()).error?.code).toBe('RUN_LOST');
    expect(server.sent()).toHaveLength(1);
    expect((await thread.say('sign me up, please')).interrupts).toHaveLength(1);
  });

  it('sends a first message that never left', async () => {
    const store = memoryStore();
    const server = await serve(signUp());
    const gone = await serve(signUp());
    const card = (await (await fetch(`${gone.url}/.well-known/agent-card.json`)).json()) as object;
    await gone.close();
    const { a2aAgent } = await import('../index.ts');
    const thread = open(a2aAgent({ card, store }));
    expect((await thread.say('sign me up')).error?.code).toBe('AGENT_UNKNOWN');
    thread.handOver(bridge(server, { store }));
    expect((await thread.again()).interrupts).toHaveLength(1);
    expect(server.sent()).toHaveLength(1);
  });
});

describe('an answer to an A2A task', () => {
  const key = (thread: { readonly id: string }) => ({ scope: 'default', thread: thread.id });

  it('continues the run when only its response was lost', async () => {
    const taken: unknown[] = [];
    const { thread } = await start(signUp(taken), { fetch: losing(2, 'after') });
    const end = await thread.answer(await thread.say('sign me up'), ANSWER);
    expect(end.outcome).toBe('success');
    expect(taken).toHaveLength(1);
  });

  it('an answer to an A2A task that may not have arrived is sent again only after a person decides so', async () => {
    const taken: unknown[] = [];
    const store = memoryStore();
    const { thread, server, agent } = await start(signUp(taken), { store, fetch: losing(2, 'before') });
    const paused = await thread.say('sign me up');
    const [interrupt] = paused.interrupts;
    expect(await agent.reconcile(interrupt!, key(thread))).toBe('waiting');
    expect((await thread.answer(paused, ANSWER)).error?.code).toBe('RUN_LOST');

    const next = bridge(server, { store });
    thread.handOver(next);
    expect(await next.reconcile(interrupt!, key(thread))).toBe('unknown');
    expect((await thread.answer(paused, ANSWER)).error?.code).toBe('INTERRUPT_CONFLICT');
    expect(taken).toHaveLength(0);

    const decided = {
      id: 'r',
      reason: InterruptReason.ErrorRecovery,
      metadata: { interruptIds: [interrupt!.id] },
    };
    expect(await next.reconcile(decided, key(thread))).toBe('unknown');
    const end = await thread.answer(paused, ANSWER, { openInterrupts: [decided] });
    expect(end.outcome).toBe('success');
    expect(taken).toHaveLength(1);
    expect(await next.reconcile(interrupt!, key(thread))).toBe('taken');
  });

  it('reconciles as taken if the agent has it, and as unknown for an unknown interrupt', async () => {
    const store = memoryStore();
    const { thread, server } = await start(signUp(), { store });
    const paused = await thread.say('sign me up');
    const stop = new AbortController();
    const stopped = thread.answer(paused, ANSWER, {
      signal: stop.signal,
      onEvent: ({ type }) => type === 'ACTIVITY_DELTA' && stop.abort(),
    });
    await stopped;
    const next = bridge(server, { store });
    expect(await next.reconcile(paused.interrupts[0]!, key(thread))).toBe('taken');
    expect(await next.reconcile({ id: 'input-other-1', reason: 'x' }, key(thread))).toBe('unknown');
    expect(await next.reconcile({ id: 'odd', reason: 'x' }, key(thread))).toBe('unknown');
  });

  it('an answer to an A2A task of five concurrent runs is sent once; the others fail with INTERRUPT_CONFLICT', async () => {
    const taken: unknown[] = [];
    const gate = createGate();
    const kept = storeMemory(memoryStore(), 'a2a');
    const { thread, server } = await start(
      executor(async (speaker) => {
        speaker.task(WORKING);
        if (speaker.request.task === undefined) return speaker.status(ASKS, EMAIL_REQUEST);
        taken.push(speaker.request.userMessage);
        await gate.opened;
        speaker.status(DONE);
      }),
      { memory: kept },
    );
    const paused = await thread.say('sign me up');
    // Holds all claims until five runs have reached theirs.
    const ready = createGate();
    let claims = 0;
    const memory: A2aMemory = {
      ...kept,
      async writeTask(key, value, expected) {
        if (value.pause?.claim !== undefined) claims += 1;
        if (claims === 5) ready.open();
        await ready.opened;
        return kept.writeTask(key, value, expected);
      },
    };
    const others = Array.from({ length: 5 }, () => open(bridge(server, { memory }), thread.id));
    const runs = others.map((other) => other.answer(paused, ANSWER));
    await vi.waitFor(() => expect(taken.length).toBeGreaterThan(0));
    gate.open();
    const codes = (await Promise.all(runs)).map(({ error, outcome }) => error?.code ?? outcome);
    expect(taken).toHaveLength(1);
    const lost = Array.from({ length: 4 }, () => 'INTERRUPT_CONFLICT');
    expect(codes.toSorted()).toEqual([...lost, 'success']);
  });

  it('an answer to an A2A task that the agent refuses leaves the interrupt open for another answer', async () => {
    const taken: unknown[] = [];
    let refuses = true;
    const { RequestMalformedError } = await import('@a2a-js/sdk/errors');
    const { handler } = scriptedHandler(async function* asks(message, { task, statusOf }) {
      const answers = message.taskId !== '';
      if (answers && refuses) throw new RequestMalformedError('not like this');
      if (answers) taken.push(message);
      task.status = statusOf(task, answers ? DONE : ASKS, { parts: [textPart('Well?')] });
      yield { $case: 'task', value: structuredClone(task) };
    });
    const { thread, agent } = await start(handler);
    const paused = await thread.say('go');
    expect((await thread.answer(paused, 'x')).error?.code).toBe('INPUT_INVALID');
    expect(await agent.reconcile(paused.interrupts[0]!, key(thread))).toBe('waiting');
    refuses = false;
    expect((await thread.answer(paused, 'x')).outcome).toBe('success');
    expect(taken).toHaveLength(1);
  });
});
