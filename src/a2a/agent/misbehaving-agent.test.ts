import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { isActivityDelta } from '../../protocol/index.ts';
import { textPart } from '../parts.ts';
import { ASKS, DONE, EMAIL_REQUEST, executor, signUp, WORKING } from '../testing-support/executors.ts';
import type { ScriptedHandler, Turn } from '../testing-support/scripted-handler.ts';
import { forever, scriptedHandler } from '../testing-support/scripted-handler.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { start } = useBridge();
const ANSWER = { email: 'a@b.c' };

/** A turn that asks, takes the answer and completes; each of its streams then awaits `end`. */
function asking(end: () => Promise<void>): Turn {
  return async function* ask(message, { task, statusOf }) {
    yield { $case: 'task', value: structuredClone(task) };
    const answers = message.parts.some(({ content }) => content?.$case === 'data');
    task.status = answers
      ? statusOf(task, DONE, { parts: [textPart('Done.')] })
      : statusOf(task, ASKS, { parts: EMAIL_REQUEST });
    const { id: taskId, contextId, status } = task;
    yield { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } };
    await end();
  };
}

describe('a run with a misbehaving A2A agent', () => {
  it('ends at a pause although the stream stays open, and does not cancel the task', async () => {
    const { handler } = scriptedHandler(asking(forever));
    const { thread, server } = await start(handler);
    const paused = await thread.say('go');
    expect(paused.interrupts).toHaveLength(1);
    expect((await thread.answer(paused, ANSWER)).outcome).toBe('success');
    expect(server.requests.filter((request) => request.includes('CancelTask'))).toEqual([]);
  });

  it('reads the task when an open stream is silent', async () => {
    const { handler, messages } = scriptedHandler(async function* silent(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      await forever();
    });
    const { thread } = await start(handler, { timing: { quietMs: 100 } });
    expect((await thread.say('go')).interrupts).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  it('reads the task when the stream ends early', async () => {
    const { handler, messages } = scriptedHandler(async function* early(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      setTimeout(() => {
        task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      }, 50);
    });
    const { thread } = await start(handler);
    expect((await thread.say('go')).interrupts).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  it('reads no task when the stream ends after the end of the task', async () => {
    const { handler } = scriptedHandler(async function* whole(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, DONE, { parts: [textPart('Done.')] });
      const { id: taskId, contextId, status } = task;
      yield { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } };
    });
    const { thread, server } = await start(handler);
    expect((await thread.say('go')).outcome).toBe('success');
    expect(server.requests.filter((request) => request.includes('"GetTask"'))).toEqual([]);
  });

  it('reads the task when the stream breaks', async () => {
    const { handler } = scriptedHandler(async function* broken(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      throw new Error('broken');
    });
    const { thread, server } = await start(handler);
    expect((await thread.say('go')).interrupts).toHaveLength(1);
    expect(server.sent()).toHaveLength(1);
  });

  it('ignores the old pause that the agent shows again after the answer', async () => {
    const { handler } = scriptedHandler(async function* old(message, { task, statusOf }) {
      const answers = message.parts.some(({ content }) => content?.$case === 'data');
      if (!answers) {
        task.artifacts.push({
          artifactId: 'notes',
          name: '',
          description: '',
          parts: [textPart('Notes.')],
          metadata: undefined,
          extensions: [],
        });
        task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
        yield { $case: 'task', value: structuredClone(task) };
        return;
      }
      yield { $case: 'task', value: structuredClone(task) };
      setTimeout(() => {
        task.status = statusOf(task, DONE, { parts: [textPart('Done.')] });
      }, 80);
    });
    const { thread } = await start(handler);
    const end = await thread.answer(await thread.say('go'), ANSWER);
    expect(end.outcome).toBe('success');
    expect(thread.texts()).toEqual(['Notes.', 'Which e-mail address?', 'Done.']);
  });

  it('ends at a pause that only a task event shows, on a stream that stays open', async () => {
    const { handler } = scriptedHandler(async function* inTask(_message, { task, statusOf }) {
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      yield { $case: 'task', value: structuredClone(task) };
      await forever();
    });
    const { thread } = await start(handler);
    expect((await thread.say('go')).interrupts).toHaveLength(1);
  });

  it('ends at a pause that only a task event shows, on a server of the SDK', async () => {
    const { thread } = await start(
      executor(async (speaker) => {
        speaker.task(ASKS);
        await forever();
      }),
    );
    expect((await thread.say('go')).interrupts).toMatchObject([{ message: 'The agent a2a asks for input.' }]);
  });

  it('shows an artifact that comes within drainMs after the pause', async () => {
    const { handler } = scriptedHandler(async function* late(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      const { id: taskId, contextId, status } = task;
      yield { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } };
      await new Promise((resolve) => setTimeout(resolve, 10));
      const artifact = {
        artifactId: 'late',
        name: '',
        description: '',
        parts: [textPart('Late.')],
        metadata: undefined,
        extensions: [],
      };
      yield {
        $case: 'artifactUpdate',
        value: { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
      };
      await forever();
    });
    const { thread } = await start(handler, { timing: { drainMs: 500 } });
    const paused = await thread.say('go');
    expect(thread.texts()).toEqual(['Late.', 'Which e-mail address?']);
    expect(paused.types.at(-1)).toBe('RUN_FINISHED');
  });

  it('warns about a repeated request and fails with MAX_TURNS after maxRepeats', async () => {
    const { thread } = await start(
      executor((speaker) => {
        speaker.task(WORKING);
        speaker.status(ASKS, EMAIL_REQUEST);
      }),
      { maxRepeats: 2 },
    );
    const warnings: string[] = [];
    const context = { onWarning: (warning: string) => warnings.push(warning) };
    const first = await thread.say('go', context);
    const second = await thread.answer(first, ANSWER, context);
    expect(second.interrupts).toMatchObject([{ metadata: { repeats: 1 } }]);
    expect((await thread.answer(second, ANSWER, context)).error).toMatchObject({ code: 'MAX_TURNS' });
    expect(warnings).toEqual([
      expect.stringContaining('the same request 2 times'),
      expect.stringContaining('the same request 3 times'),
    ]);
  });

  it('raises the interrupt again, marked as refused, if the agent ignores the answer', async () => {
    const { handler } = scriptedHandler(async function* deaf(_message, { task, statusOf }) {
      if (task.status?.state !== ASKS) task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      yield { $case: 'task', value: structuredClone(task) };
    });
    const { thread } = await start(handler, { timing: { settleMs: 60 } });
    const first = await thread.say('go');
    const second = await thread.answer(first, ANSWER);
    expect(second.interrupts[0]?.id).toMatch(/-2$/);
    const changes = second.events.filter(isActivityDelta).flatMap(({ patch }) => patch);
    expect(changes).toEqual([
      { op: 'add', path: '/stage', value: 'completed' },
      { op: 'add', path: '/refused', value: true },
    ]);
  });

  it.each([DONE, TaskState.TASK_STATE_CANCELED])(
    'fails with INTERRUPT_UNKNOWN and sends nothing if the task ended meanwhile (state %s)',
    async (state) => {
      const { handler, tasks, messages } = scriptedHandler(asking(forever));
      const { thread } = await start(handler);
      const paused = await thread.say('go');
      const task = [...tasks.values()][0]!;
      task.status = { state, message: undefined, timestamp: new Date().toISOString() };
      expect((await thread.answer(paused, ANSWER)).error?.code).toBe('INTERRUPT_UNKNOWN');
      expect(messages).toHaveLength(1);
      expect(thread.state).toMatchObject({ view: { pendingInterrupts: {} } });
    },
  );

  it('fails with INTERRUPT_UNKNOWN and sends nothing if the agent lost the paused task', async () => {
    const { handler, tasks, messages } = scriptedHandler(asking(forever));
    const { thread } = await start(handler);
    const paused = await thread.say('go');
    tasks.clear();
    expect((await thread.answer(paused, ANSWER)).error?.code).toBe('INTERRUPT_UNKNOWN');
    expect(messages).toHaveLength(1);
  });

  it('fails with RUN_LOST if the agent loses the working task', async () => {
    const { handler, tasks } = scriptedHandler(async function* losing(_message, { task }) {
      yield { $case: 'task', value: structuredClone(task) };
      tasks.clear();
    });
    const { thread } = await start(handler);
    expect((await thread.say('go')).error?.code).toBe('RUN_LOST');
  });

  it('follows a task that went on by itself and does not send the answer', async () => {
    const { handler, tasks, messages, statusOf }: ScriptedHandler = scriptedHandler(asking(forever), {
      // Completes after it was read as working.
      async getTask({ id }) {
        const task = tasks.get(id)!;
        const seen = structuredClone(task);
        if (seen.status?.state === WORKING)
          task.status = statusOf(task, DONE, { parts: [textPart('By myself.')] });
        return seen;
      },
    });
    const { thread } = await start(handler);
    const paused = await thread.say('go');
    const task: Task = [...tasks.values()][0]!;
    task.status = statusOf(task, WORKING);
    expect((await thread.answer(paused, ANSWER)).outcome).toBe('success');
    expect(messages).toHaveLength(1);
    expect(thread.texts()).toContain('By myself.');
  });

  it('ends as cancelled after cancelMs if the agent does not confirm the cancellation', async () => {
    const { handler } = scriptedHandler(asking(forever), { cancelTask: forever });
    const { thread } = await start(handler, { timing: { cancelMs: 100 } });
    const paused = await thread.say('go');
    const warnings: string[] = [];
    const end = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'cancelled' }], {
      onWarning: (warning) => warnings.push(warning),
    });
    expect(end.outcome).toBe('cancelled');
    expect(warnings).toEqual([expect.stringContaining('did not confirm within 100 ms')]);
  });

  it('escapes task ids that contain characters of a JSON pointer', async () => {
    const { handler, tasks } = scriptedHandler(asking(async () => undefined));
    const odd = { ...handler };
    const { thread } = await start(odd);
    tasks.set = ((original) => (id: string, task: Task) => {
      task.id = task.id.startsWith('a/') ? task.id : `a/b~c ${id}`;
      return original(task.id, task);
    })(tasks.set.bind(tasks));
    const paused = await thread.say('go');
    expect(paused.interrupts[0]?.id).toBe('input-a/b~c task-1-1');
    expect((await thread.answer(paused, ANSWER)).outcome).toBe('success');
    expect(thread.state).toMatchObject({
      view: { tasks: { 'a/b~c task-1': { status: 'completed' } }, pendingInterrupts: {} },
    });
  });
});

it('a stopped run does not cancel its A2A task', async () => {
  const { handler, tasks } = scriptedHandler(async function* busy(_message, { task }) {
    yield { $case: 'task', value: structuredClone(task) };
    await forever();
  });
  const { thread, server } = await start(handler);
  const stop = new AbortController();
  const run = thread.say('go', {
    signal: stop.signal,
    onEvent: ({ type }) => type === 'STATE_DELTA' && stop.abort(),
  });
  expect((await run).outcome).toBe('cancelled');
  expect([...tasks.values()][0]?.status?.state).toBe(WORKING);
  expect(server.requests.filter((request) => request.includes('CancelTask'))).toEqual([]);
});

it('a run sends one answer once to an agent of the SDK', async () => {
  const taken: unknown[] = [];
  const { thread } = await start(signUp(taken));
  await thread.answer(await thread.say('go'), ANSWER);
  expect(taken).toHaveLength(1);
});
