import type { Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { isActivityDelta } from '../protocol/index.ts';
import { textPart } from './parts/parts.ts';
import { ASKS, DONE, EMAIL_REQUEST, executor, signUp, WORKING } from './testing-support/executors.ts';
import type { ScriptedHandler, Turn } from './testing-support/scripted-handler.ts';
import { forever, scriptedHandler } from './testing-support/scripted-handler.ts';
import { useBridge } from './testing-support/use-bridge.ts';

const { start } = useBridge();
const ANSWER = { email: 'a@b.c' };

/** Asks, then takes the answer and is done; `end` says what its streams do after they have said it. */
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

describe('an agent that', () => {
  it('never closes its stream is left when it waits, and its task is not cancelled', async () => {
    const { handler } = scriptedHandler(asking(forever));
    const { thread, server } = await start(handler);
    const paused = await thread.say('go');
    expect(paused.interrupts).toHaveLength(1);
    expect((await thread.answer(paused, ANSWER)).outcome).toBe('success');
    expect(server.requests.filter((request) => request.includes('CancelTask'))).toEqual([]);
  });

  it('says nothing more on an open stream is looked at', async () => {
    const { handler, messages } = scriptedHandler(async function* silent(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      await forever();
    });
    const { thread } = await start(handler, { timing: { quietMs: 100 } });
    expect((await thread.say('go')).interrupts).toHaveLength(1);
    expect(messages).toHaveLength(1);
  });

  it('closes its stream early is followed by looking', async () => {
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

  it('breaks off its stream is followed by looking', async () => {
    const { handler } = scriptedHandler(async function* broken(_message, { task, statusOf }) {
      yield { $case: 'task', value: structuredClone(task) };
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      throw new Error('broken');
    });
    const { thread, server } = await start(handler);
    expect((await thread.say('go')).interrupts).toHaveLength(1);
    expect(server.sent()).toHaveLength(1);
  });

  it('sends the old task again with the old question is not taken at its word', async () => {
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

  it('asks in a task event only, on a stream that stays open, is heard', async () => {
    const { handler } = scriptedHandler(async function* inTask(_message, { task, statusOf }) {
      task.status = statusOf(task, ASKS, { parts: EMAIL_REQUEST });
      yield { $case: 'task', value: structuredClone(task) };
      await forever();
    });
    const { thread } = await start(handler);
    expect((await thread.say('go')).interrupts).toHaveLength(1);
  });

  it('asks in a task event only is heard on the servers of the SDK too, where such a stream hangs', async () => {
    const { thread } = await start(
      executor(async (speaker) => {
        speaker.task(ASKS);
        await forever();
      }),
    );
    expect((await thread.say('go')).interrupts).toMatchObject([{ message: 'The agent a2a asks for input.' }]);
  });

  it('makes more after it has asked is heard for a little longer', async () => {
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

  it('asks the same for ever is reported, and then refused', async () => {
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
      expect.stringContaining('the same 2 times'),
      expect.stringContaining('the same 3 times'),
    ]);
  });

  it('does not take the answer and changes nothing is asked for again, and nothing was approved', async () => {
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
    'ends while it waits (%s) gets no answer any more',
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

  it('loses the task gets no answer any more', async () => {
    const { handler, tasks, messages } = scriptedHandler(asking(forever));
    const { thread } = await start(handler);
    const paused = await thread.say('go');
    tasks.clear();
    expect((await thread.answer(paused, ANSWER)).error?.code).toBe('INTERRUPT_UNKNOWN');
    expect(messages).toHaveLength(1);
  });

  it('loses the task while it works ends the run', async () => {
    const { handler, tasks } = scriptedHandler(async function* losing(_message, { task }) {
      yield { $case: 'task', value: structuredClone(task) };
      tasks.clear();
    });
    const { thread } = await start(handler);
    expect((await thread.say('go')).error?.code).toBe('RUN_LOST');
  });

  it('goes on by itself while it waits is followed, and the answer is not sent', async () => {
    const { handler, tasks, messages, statusOf }: ScriptedHandler = scriptedHandler(asking(forever), {
      // It is done as soon as somebody has seen it at work.
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

  it('never answers a cancellation is not waited for', async () => {
    const { handler } = scriptedHandler(asking(forever), { cancelTask: forever });
    const { thread } = await start(handler, { timing: { cancelMs: 100 } });
    const paused = await thread.say('go');
    const warnings: string[] = [];
    const end = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'cancelled' }], {
      onWarning: (warning) => warnings.push(warning),
    });
    expect(end.outcome).toBe('cancelled');
    expect(warnings).toEqual([expect.stringContaining('did not answer the cancellation')]);
  });

  it('has ids that mean something in a pointer is shown under them', async () => {
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

it('a stopped run stops listening and leaves the task alone', async () => {
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

it('an agent of the SDK is done with one answer', async () => {
  const taken: unknown[] = [];
  const { thread } = await start(signUp(taken));
  await thread.answer(await thread.say('go'), ANSWER);
  expect(taken).toHaveLength(1);
});
