import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { answer, createGate, eventually } from '../../host/testing-support/host-client.ts';
import { textPart } from '../parts.ts';
import type { A2aServer } from '../testing-support/a2a-server.ts';
import { ASKS, DONE, executor, OPEN_REQUEST, signUp, WORKING } from '../testing-support/executors.ts';
import { scriptedHandler } from '../testing-support/scripted-handler.ts';
import { useBridge } from '../testing-support/use-bridge.ts';
import { THREAD, useHosts } from '../testing-support/use-hosts.ts';

const { serve, bridge, forbid } = useBridge();
const world = useHosts({ forbid });
const MINUTE = 61_000;

/** An agent that says a word, waits for the gate, and then asks; it completes after the answer. */
function slow(gate: { readonly opened: Promise<void> }) {
  return executor(async (speaker) => {
    speaker.task(WORKING);
    if (speaker.request.task !== undefined) return speaker.status(DONE, [textPart('Done.')]);
    speaker.artifact({ artifactId: 'notes', parts: [textPart('Notes so far.')] }, { lastChunk: false });
    await gate.opened;
    speaker.artifact({ artifactId: 'notes', parts: [textPart(' And more.')] }, { append: true });
    return speaker.status(ASKS, OPEN_REQUEST);
  });
}

const restart = (server: A2aServer, agent: Parameters<typeof serve>[0]) =>
  serve(agent, { port: Number(new URL(server.url).port), tasks: server.tasks });

describe('a host that dies while an A2A task works on its first turn', () => {
  it('leaves the task to the next host, which shows its request; no text comes twice', async () => {
    const gate = createGate();
    const server = await serve(slow(gate));
    const { store, hostOf } = world();
    const first = hostOf(bridge(server, { store }));
    const stream = await first.client.open({ thread: THREAD, say: 'go', messageId: 'agui-m' });
    const page = await stream.until('TEXT_MESSAGE_CONTENT');
    await first.close();
    const second = hostOf(bridge(server, { store }));
    const live = await second.client.watch(THREAD, page.at(-1)?.id);
    await second.later(MINUTE);
    await second.until('active');
    gate.open();
    const frames = [...page, ...(await live.until('RUN_FINISHED'))];
    await live.close();
    const said = frames.flatMap(({ event }) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : []));
    expect(said).toEqual(['Notes so far.', ' And more.', 'Which e-mail address?']);
    expect(await second.texts()).toEqual(
      expect.arrayContaining(['go', 'Notes so far.', ' And more.', 'Which e-mail address?']),
    );
    const [interrupt] = await second.open();
    expect((await second.resume([answer(interrupt, { email: 'a@b.c' })])).outcome).toBe('success');
    expect(server.sent()).toHaveLength(2);
  });

  it('leaves the task to the next run if a new message comes first; the message begins the next task after its end', async () => {
    const gate = createGate();
    const server = await serve(
      executor(async (speaker) => {
        speaker.task(WORKING);
        await gate.opened;
        speaker.status(DONE, [textPart(`Done ${speaker.request.taskId.length > 0}.`)]);
      }),
    );
    const { store, hostOf } = world();
    const first = hostOf(bridge(server, { store }));
    await (await first.client.open({ thread: THREAD, say: 'one', messageId: 'agui-m' })).until('STATE_DELTA');
    await first.close();
    const second = hostOf(bridge(server, { store }));
    const next = second.ask('two');
    await eventually(() => server.requests.filter((request) => request.includes('"GetTask"')).length > 1);
    expect(server.sent()).toHaveLength(1);
    gate.open();
    expect((await next).outcome).toBe('success');
    expect(server.sent().map((request) => /"text":"([^"]+)"/.exec(request)?.[1])).toEqual(['one', 'two']);
  });

  it('before it sent the message leaves the message to the next host', async () => {
    const taken: unknown[] = [];
    const server = await serve(signUp(taken, OPEN_REQUEST));
    const { store, hostOf } = world();
    const hung = createGate();
    const first = hostOf(
      bridge(server, {
        store,
        fetch: () => {
          hung.open();
          return new Promise<never>(() => undefined);
        },
      }),
    );
    void first.ask().catch(() => undefined);
    await hung.opened;
    await first.close();
    const second = hostOf(bridge(server, { store }));
    await second.later(MINUTE);
    await second.until('waiting');
    expect(server.sent()).toHaveLength(1);
  });

  it.each([
    ['sends the message again under the same id when a person decides so', 'retry', 2, 'waiting'],
    ['does not send the message again when a person stops it', 'abort', 1, 'idle'],
  ] as const)(
    'and does not know whether the agent got the message asks a person, and %s',
    async (...[, action, sent, status]) => {
      const { handler, messages } = scriptedHandler(async function* asks(_message, { task, statusOf }) {
        task.status = statusOf(task, ASKS, { parts: OPEN_REQUEST });
        yield { $case: 'task', value: structuredClone(task) };
      });
      const server = await serve(handler);
      const { store, hostOf } = world();
      const hung = createGate();
      const first = hostOf(
        bridge(server, {
          store,
          fetch: async (input, init) => {
            const response = await fetch(input, init);
            if (!String(init?.body).includes('"messageId"')) return response;
            await response.text();
            hung.open();
            return new Promise<never>(() => undefined);
          },
        }),
      );
      void first.ask().catch(() => undefined);
      await hung.opened;
      await first.close();
      const second = hostOf(bridge(server, { store }));
      await second.later(MINUTE);
      await second.until('waiting');
      const [doubt] = await second.open();
      expect(doubt).toMatchObject({
        reason: 'error_recovery',
        message: expect.stringContaining('Send it again?'),
      });
      await second.resume([answer(doubt, { action })]);
      await second.until(status);
      expect(messages).toHaveLength(sent);
      expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(1);
    },
  );
});

describe('an A2A agent that cannot be reached while its task works', () => {
  it('is waited for, and the run goes on by itself when it is back', async () => {
    const gate = createGate();
    const agent = slow(gate);
    const server = await serve(agent);
    const { store, hostOf } = world();
    const { client, texts, open } = hostOf(bridge(server, { store, timing: { pollMs: 10 } }));
    const stream = await client.open({ thread: THREAD, say: 'go', messageId: 'agui-m' });
    await stream.until('TEXT_MESSAGE_CONTENT');
    await server.close();
    let frames = await stream.until('STATE_DELTA');
    expect(JSON.stringify(frames.at(-1)?.event)).toContain('"status":"unreachable"');
    gate.open();
    const back = await restart(server, agent);
    frames = await stream.rest();
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    expect(await texts()).toContain('Which e-mail address?');
    expect(await open()).toHaveLength(1);
    expect([...server.sent(), ...back.sent()]).toHaveLength(1);
  });

  it('fails the run with AGENT_UNKNOWN after followMs; a later run takes the task up', async () => {
    const gate = createGate();
    const agent = slow(gate);
    const server = await serve(agent);
    const { store, hostOf } = world();
    const { client } = hostOf(bridge(server, { store, timing: { pollMs: 1, followMs: 20 } }));
    const stream = await client.open({ thread: THREAD, say: 'go', messageId: 'agui-m' });
    await stream.until('TEXT_MESSAGE_CONTENT');
    await server.close();
    expect((await stream.rest()).at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'AGENT_UNKNOWN' });
    gate.open();
    const back = await restart(server, agent);
    expect((await client.run({ thread: THREAD })).interrupts).toHaveLength(1);
    expect([...server.sent(), ...back.sent()]).toHaveLength(1);
  });
});

describe('a stopped run of an A2A agent', () => {
  const stopped = async (server: A2aServer, until = 'STATE_DELTA') => {
    const { store, hostOf } = world();
    const host = hostOf(bridge(server, { store }));
    const stream = await host.client.open({
      thread: THREAD,
      runId: 'agui-r',
      say: 'go',
      messageId: 'agui-m',
    });
    await stream.until(until);
    await host.client.post(`/threads/${THREAD}/runs/agui-r/cancel`);
    return { ...host, frames: await stream.rest() };
  };
  const cancels = (server: A2aServer) =>
    server.requests.filter((request) => request.includes('"CancelTask"')).length;

  it('sends CancelTask and shows the last message of the agent', async () => {
    const gate = createGate();
    const server = await serve(
      executor(
        async (speaker) => {
          speaker.task(WORKING);
          await gate.opened;
          speaker.artifact({ artifactId: 'rest', parts: [textPart('Half of it.')] });
          speaker.status(TaskState.TASK_STATE_CANCELED, [textPart('Stopped as you asked.')]);
        },
        async () => gate.open(),
      ),
    );
    const { frames, texts, until } = await stopped(server);
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(cancels(server)).toBe(1);
    await until('idle');
    expect(await texts()).toEqual(expect.arrayContaining(['Half of it.', 'Stopped as you asked.']));
  });

  it('ends with the result of a task that completes anyway', async () => {
    const gate = createGate();
    const server = await serve(
      executor(
        async (speaker) => {
          speaker.task(WORKING);
          await gate.opened;
          speaker.status(DONE, [textPart('Too late, it is done.')]);
        },
        async () => gate.open(),
      ),
    );
    const { frames, texts } = await stopped(server);
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED' });
    expect(await texts()).toContain('Too late, it is done.');
  });

  it('raises no interrupt of a task that asks while it is stopped', async () => {
    const gate = createGate();
    const { handler, tasks } = scriptedHandler(
      async function* asks(_message, { task, statusOf }) {
        yield { $case: 'task', value: structuredClone(task) };
        await gate.opened;
        task.status = statusOf(task, ASKS, { parts: OPEN_REQUEST });
        const { id: taskId, contextId, status } = task;
        yield { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } };
      },
      {
        async cancelTask({ id }) {
          gate.open();
          const task = tasks.get(id)!;
          await eventually(() => task.status?.state === ASKS);
          task.status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: undefined };
          return structuredClone(task);
        },
      },
    );
    const { frames, open } = await stopped(await serve(handler));
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(await open()).toEqual([]);
  });
});
