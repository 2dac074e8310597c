import { randomUUID } from 'node:crypto';
import type { Part } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { describe, expect, it } from 'vitest';
import { createGate, eventually } from '../../host/testing-support/host-client.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { sendRequest } from './outbound.ts';
import { dataPart, textPart } from '../parts.ts';
import type { A2aServer } from '../testing-support/a2a-server.ts';
import { ASKS, DONE, executor, FAILED, OPEN_REQUEST, signUp, WORKING } from '../testing-support/executors.ts';
import { useBridge } from '../testing-support/use-bridge.ts';
import { THREAD, useHosts } from '../testing-support/use-hosts.ts';

const { serve, start, bridge, forbid } = useBridge();
const world = useHosts({ forbid });

const MINUTE = 61_000;
const ANSWER = { type: 'a2a.input.response', values: { email: 'their@own.address' } };

/** Another client of the same task. */
async function otherClient({ url }: { readonly url: string }, { metadata }: Interrupt) {
  const client = await new ClientFactory().createFromUrl(url);
  const taskId = String(metadata?.['taskId']);
  const contextId = String(metadata?.['contextId']);
  return {
    answer: (parts: readonly Part[]) =>
      client.sendMessage(sendRequest({ messageId: randomUUID(), taskId, contextId }, parts)),
    cancel: () => client.cancelTask({ tenant: '', id: taskId, metadata: undefined }),
  };
}

const stageOf = (messages: readonly { readonly id: string; readonly content?: unknown }[], id: string) =>
  messages.find((message) => message.id === id)?.content;

async function paused(server: A2aServer) {
  const { store, hostOf } = world();
  const host = hostOf(bridge(server, { store }));
  const { interrupts } = await host.ask();
  const [interrupt] = interrupts;
  if (interrupt === undefined) throw new Error('The run raised no interrupt.');
  return { ...host, store, hostOf, interrupt, other: await otherClient(server, interrupt) };
}

describe('an open interrupt whose A2A task went on without the host', () => {
  it('an open interrupt whose A2A task went on without the host is withdrawn when another client answered, and the thread shows the end of the task', async () => {
    const taken: unknown[] = [];
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const { interrupt, other, later, status, shown, history, open } = await paused(server);
    await other.answer([dataPart(ANSWER)]);
    await later(MINUTE);
    await eventually(async () => (await status()) === 'idle');
    const { messages, state } = await shown();
    expect(messages.map(({ content }) => content)).toEqual(expect.arrayContaining(['Signed up.', 'Done.']));
    expect(stageOf(messages, interrupt.id)).toMatchObject({ stage: 'completed' });
    expect(stageOf(messages, interrupt.id)).not.toHaveProperty('decision');
    expect(state).toMatchObject({
      view: {
        pendingInterrupts: {},
        tasks: { [String(interrupt.metadata?.['taskId'])]: { status: 'completed' } },
      },
    });
    expect(await history(interrupt.id)).toMatchObject([
      { what: 'raised' },
      { what: 'withdrawn', by: 'assistant' },
    ]);
    expect(await open()).toEqual([]);
    expect(taken).toEqual([ANSWER]);
    expect(server.sent()).toHaveLength(2);
  });

  it('an open interrupt whose A2A task went on without the host is replaced by the next request of the task, which this host can answer', async () => {
    const heard: string[] = [];
    const server = await serve(
      executor((speaker) => {
        const [part] = speaker.request.userMessage.parts;
        heard.push(part?.content?.$case === 'text' ? part.content.value : '');
        speaker.task(WORKING);
        if (heard.length === 3) speaker.status(DONE, [textPart('Enough.')]);
        else speaker.status(ASKS, [textPart(`Request ${heard.length}?`)]);
      }),
    );
    const { interrupt, other, later, open, reply, status, shown } = await paused(server);
    await other.answer([textPart('theirs')]);
    await later(MINUTE);
    await eventually(async () => (await open())[0]?.message === 'Request 2?');
    const [next, ...none] = await open();
    expect([next?.id, none]).toEqual([interrupt.id.replace(/-1$/, '-2'), []]);
    const { messages, state } = await shown();
    expect(stageOf(messages, interrupt.id)).toMatchObject({ stage: 'completed' });
    expect(stageOf(messages, next?.id ?? '')).toMatchObject({ stage: 'awaiting_input' });
    expect(state).toMatchObject({ view: { pendingInterrupts: { [next?.id ?? '']: { requestId: null } } } });
    await later(MINUTE);
    expect((await open()).map(({ id }) => id)).toEqual([next?.id]);
    expect((await reply(next?.id, 'mine')).status).toBe(200);
    await eventually(async () => (await status()) === 'idle');
    expect(heard).toEqual(['go', 'theirs', 'mine']);
  });

  it('shows the stage working while the task works', async () => {
    const finish = createGate();
    const server = await serve(
      executor(async (speaker) => {
        speaker.task(WORKING);
        if (speaker.request.task === undefined) return speaker.status(ASKS, OPEN_REQUEST);
        await finish.opened;
        return speaker.status(DONE, [textPart('Done.')]);
      }),
    );
    const { interrupt, other, later, status, client, open } = await paused(server);
    await other.answer([dataPart(ANSWER)]);
    const watched = await client.watch(THREAD);
    await watched.until('RUN_FINISHED');
    await later(MINUTE);
    const frames = await watched.until('ACTIVITY_DELTA');
    expect(frames.at(-1)?.event).toMatchObject({
      messageId: interrupt.id,
      patch: [{ op: 'add', path: '/stage', value: 'working' }],
    });
    expect((await watched.until('STATE_DELTA')).at(-1)?.event).toMatchObject({
      delta: expect.arrayContaining([{ op: 'remove', path: `/view/pendingInterrupts/${interrupt.id}` }]),
    });
    expect([await status(), await open()]).toEqual(['active', []]);
    finish.open();
    await watched.until('RUN_FINISHED');
    await watched.close();
    await eventually(async () => (await status()) === 'idle');
  });

  it('an open interrupt whose A2A task went on without the host is withdrawn when the task was cancelled at the agent', async () => {
    const server = await serve(signUp([], OPEN_REQUEST));
    const { interrupt, other, later, status, shown, client } = await paused(server);
    await other.cancel();
    const watched = await client.watch(THREAD);
    await watched.until('RUN_FINISHED');
    await later(MINUTE);
    const frames = await watched.until('RUN_FINISHED');
    await watched.close();
    expect(frames.at(-1)?.event).toMatchObject({ outcome: { type: 'cancelled' } });
    await eventually(async () => (await status()) === 'idle');
    expect(stageOf((await shown()).messages, interrupt.id)).toMatchObject({ stage: 'completed' });
  });

  it.each([
    ['failed', 'TOOL_FAILED'],
    ['was lost by its agent', 'RUN_LOST'],
  ])('is withdrawn when the task %s, with one RUN_ERROR', async (what, code) => {
    const server = await serve(
      executor((speaker) => {
        speaker.task(WORKING);
        if (speaker.request.task === undefined) speaker.status(ASKS, OPEN_REQUEST);
        else speaker.status(FAILED, [textPart('Too late.')]);
      }),
    );
    const { interrupt, other, later, status, client, open, shown, ask } = await paused(server);
    if (what === 'failed') await other.answer([textPart('x')]);
    else {
      await server.close();
      await serve(signUp([], OPEN_REQUEST), { port: Number(new URL(server.url).port) });
    }
    await later(MINUTE);
    for (let sweep = 0; sweep < 5; sweep += 1) {
      await eventually(async () => (await status()) !== 'active');
      await later(MINUTE);
    }
    await eventually(async () => (await status()) === 'idle');
    const watched = await client.watch(THREAD, 0);
    const codes: unknown[] = [];
    const outcomes: unknown[] = [];
    // A new task shows that the run of the old one was not repeated.
    await ask('again');
    while (outcomes.length < 2) {
      const event = (await watched.next())?.event;
      if (event?.type === 'RUN_ERROR') codes.push(event.code);
      if (event?.type === 'RUN_FINISHED') outcomes.push(event.outcome?.type ?? 'success');
    }
    await watched.close();
    expect([codes, outcomes]).toEqual([[code], ['interrupt', 'interrupt']]);
    expect((await open()).map(({ id }) => id)).not.toContain(interrupt.id);
    const { messages, state } = await shown();
    expect(stageOf(messages, interrupt.id)).toMatchObject({ stage: 'completed' });
    expect(JSON.stringify(state)).not.toContain(`"${interrupt.id}":`);
  });

  it('an open interrupt whose A2A task went on without the host is withdrawn by a host that started later', async () => {
    const server = await serve(signUp([], OPEN_REQUEST));
    const { close, other, store, hostOf } = await paused(server);
    await close();
    await other.answer([dataPart(ANSWER)]);
    const { later, status, shown } = hostOf(bridge(server, { store }));
    await later(MINUTE);
    await eventually(async () => (await status()) === 'idle');
    expect((await shown()).messages.map(({ content }) => content)).toContain('Done.');
  });

  it.each([
    ['at the same time', [['look', 'reply']]],
    ['before', [['reply'], ['look']]],
    ['after', [['look'], ['reply']]],
  ])('is settled once when two hosts check it and a person answers %s', async (_when, steps) => {
    const taken: unknown[] = [];
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const first = await paused(server);
    const second = first.hostOf(bridge(server, { store: first.store }));
    await first.other.answer([dataPart(ANSWER)]);
    const look = () => Promise.all([first.later(MINUTE), second.later(0)]);
    const reply = () => second.reply(first.interrupt.id, { email: 'a@b.c' });
    for (const step of steps) await Promise.all(step.map((what) => (what === 'look' ? look() : reply())));
    for (let sweep = 0; sweep < 3; sweep += 1) {
      await eventually(async () => (await first.status()) !== 'active');
      await second.later(MINUTE);
    }
    await eventually(async () => (await first.status()) === 'idle');
    expect(taken).toEqual([ANSWER]);
    expect(server.sent()).toHaveLength(2);
    const { messages, state } = await first.shown();
    expect(messages.map(({ content }) => content)).toContain('Done.');
    expect(state).toMatchObject({ view: { pendingInterrupts: {} } });
    expect(stageOf(messages, first.interrupt.id)).toMatchObject({ stage: 'completed' });
  });
});

it('a run without new input on a paused task shows the same interrupt and no activity change', async () => {
  const { thread } = await start(signUp([], OPEN_REQUEST));
  const { interrupts } = await thread.say('go');
  const again = await thread.again();
  expect(again.interrupts.map(({ id }) => id)).toEqual(interrupts.map(({ id }) => id));
  expect(again.types).not.toContain('ACTIVITY_DELTA');
});

it('an interrupt stays open while its A2A agent is unreachable and can be answered afterwards', async () => {
  const taken: unknown[] = [];
  const agent = signUp(taken, OPEN_REQUEST);
  const server = await serve(agent);
  const { interrupt, later, open, reply, status } = await paused(server);
  await server.close();
  await later(MINUTE);
  await later(MINUTE);
  expect((await open()).map(({ id }) => id)).toEqual([interrupt.id]);
  await serve(agent, { port: Number(new URL(server.url).port), tasks: server.tasks });
  await later(MINUTE);
  expect((await open()).map(({ id }) => id)).toEqual([interrupt.id]);
  await reply(interrupt.id, { email: 'a@b.c' });
  await eventually(async () => {
    await later(1000);
    return (await status()) === 'idle';
  });
  expect(taken).toHaveLength(1);
});

it('an auth-required interrupt is checked every 5 seconds and ends without an answer', async () => {
  const granted = createGate();
  const server = await serve(
    executor(async (speaker) => {
      speaker.task(WORKING);
      speaker.status(TaskState.TASK_STATE_AUTH_REQUIRED, [textPart('Please log in at the bank.')]);
      await granted.opened;
      speaker.status(DONE, [textPart('Thank you.')]);
    }),
  );
  const { interrupt, later, open, status, shown } = await paused(server);
  const looks = () => server.requests.filter((request) => request.includes('"GetTask"')).length;
  const before = looks();
  for (let second = 0; second < 21; second += 1) await later(1000);
  expect(looks() - before).toBe(4);
  expect((await open()).map(({ id }) => id)).toEqual([interrupt.id]);
  granted.open();
  await later(6000);
  await eventually(async () => (await status()) === 'idle');
  const { messages } = await shown();
  expect(messages.at(-1)?.content).toBe('Thank you.');
  expect(stageOf(messages, interrupt.id)).toMatchObject({ stage: 'completed' });
  expect(server.sent()).toHaveLength(1);
});
