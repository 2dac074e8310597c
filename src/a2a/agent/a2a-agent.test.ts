import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { describe, expect, it } from 'vitest';
import { createGate } from '../../host/testing-support/host-client.ts';
import { isActivityDelta, isActivitySnapshot, isStateDelta } from '../../protocol/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { a2aMessage, dataPart, textPart } from '../parts.ts';
import type { Binding } from '../testing-support/a2a-server.ts';
import {
  ASKS,
  DONE,
  EMAIL_REQUEST,
  executor,
  FAILED,
  signUp,
  WORKING,
} from '../testing-support/executors.ts';
import { useBridge } from '../testing-support/use-bridge.ts';

const { start, serve, bridge, open } = useBridge();
const taskIn = (id: string) => /^input-(.+)-\d+$/.exec(id)?.[1] ?? '';

describe.each<readonly [Binding, boolean]>([
  ['JSONRPC', true],
  ['JSONRPC', false],
  ['HTTP+JSON', true],
  ['HTTP+JSON', false],
])('a2aAgent over %s, streaming: %s', (binding, streaming) => {
  it('ends a run with the interrupt of the task, then sends the answer once and shows each text once', async () => {
    const taken: unknown[] = [];
    const { thread, server } = await start(signUp(taken), { binding, streaming });
    const paused = await thread.say('sign me up');
    expect(paused.interrupts).toMatchObject([
      {
        id: expect.stringMatching(/^input-.+-1$/),
        message: 'Which e-mail address?',
        reason: 'input_required',
        responseSchema: { required: ['email'], additionalProperties: false },
      },
    ]);
    const end = await thread.answer(paused, { email: 'a@b.c', pin: 'the pin of Ada' });
    expect([end.outcome, end.error]).toEqual(['success', undefined]);
    expect(taken).toEqual([
      { type: 'a2a.input.response', requestId: 'mail', values: { email: 'a@b.c', pin: 'the pin of Ada' } },
    ]);
    const texts = ['Done.', 'Notes so far.', 'One moment.', 'Signed up.', 'Which e-mail address?'];
    expect(thread.texts().toSorted()).toEqual(texts);
    expect(server.sent()).toHaveLength(2);
  });
});

describe('a2aAgent at a pause', () => {
  it('emits the words of the agent, the activity, the state and the interrupt, in this order', async () => {
    const { thread } = await start(signUp());
    const { types, events, interrupts } = await thread.say('sign me up');
    expect(types).toMatchInlineSnapshot(`
      [
        "RUN_STARTED",
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "ACTIVITY_SNAPSHOT",
        "STATE_DELTA",
        "STATE_SNAPSHOT",
        "RUN_FINISHED",
      ]
    `);
    const [interrupt] = interrupts;
    const taskId = taskIn(interrupt!.id);
    const contextId = interrupt!.metadata?.['contextId'];
    const request = { type: 'a2a.input.request', requestId: 'mail', title: 'E-mail' };
    expect(
      events.find((event) => isActivitySnapshot(event) && event.activityType === 'INPUT_REQUEST'),
    ).toMatchObject({
      messageId: interrupt!.id,
      activityType: 'INPUT_REQUEST',
      content: { stage: 'awaiting_input', taskId, request, text: 'Which e-mail address?' },
    });
    expect(interrupt!.metadata).toMatchObject({ taskId, contextId, request });
    expect(interrupt!.metadata?.['payload']).toMatchObject({
      taskId,
      contextId,
      interruptId: interrupt!.id,
      request,
    });
    expect(events.findLast(isStateDelta)?.delta).toEqual([
      {
        op: 'add',
        path: `/view/tasks/${taskId}`,
        value: {
          status: 'input-required',
          lastRunId: expect.any(String),
          lastInterruptId: interrupt!.id,
          summaries: ['Which e-mail address?'],
        },
      },
      {
        op: 'add',
        path: `/view/pendingInterrupts/${interrupt!.id}`,
        value: { interruptId: interrupt!.id, taskId, requestId: 'mail', reason: 'input_required' },
      },
    ]);
  });

  it('adds decision and values without secrets to the activity when the agent goes on', async () => {
    const { thread } = await start(signUp());
    const paused = await thread.say('sign me up');
    const end = await thread.answer(paused, { email: 'a@b.c', pin: 'the pin of Ada' });
    expect(end.events.filter(isActivityDelta).map(({ patch }) => patch)).toEqual([
      [
        { op: 'add', path: '/stage', value: 'working' },
        { op: 'add', path: '/decision', value: 'provided' },
        { op: 'add', path: '/values', value: { email: 'a@b.c', pin: '••••••' } },
      ],
      [{ op: 'add', path: '/stage', value: 'completed' }],
    ]);
    expect(JSON.stringify(end.events)).not.toContain('the pin of Ada');
    expect(thread.state).toMatchObject({ view: { pendingInterrupts: {} } });
    const [task] = Object.values((thread.state as { view: { tasks: object } }).view.tasks);
    expect(task).toMatchObject({ status: 'completed', summaries: ['Which e-mail address?', 'Done.'] });
  });

  it('cancels the task and marks the activity as rejected for a cancelled answer', async () => {
    const { thread, server } = await start(signUp());
    const paused = await thread.say('sign me up');
    const end = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'cancelled' }]);
    expect(end.outcome).toBe('cancelled');
    expect(end.events.filter(isActivityDelta).map(({ patch }) => patch)).toEqual([
      [
        { op: 'add', path: '/stage', value: 'completed' },
        { op: 'add', path: '/decision', value: 'rejected' },
      ],
    ]);
    expect(thread.state).toMatchObject({ view: { pendingInterrupts: {} } });
    const cancels = server.requests.filter((request) => request.includes('"CancelTask"'));
    expect(cancels).toEqual([expect.stringContaining('Cancelled: nobody answered.')]);
    expect(server.sent()).toHaveLength(1);
  });

  it('starts a new task in the same context for a cancelled answer with a new message', async () => {
    const { thread, server } = await start(signUp());
    const paused = await thread.say('sign me up');
    thread.write('sign Bob up');
    const again = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'cancelled' }]);
    expect(again.interrupts[0]?.id).toMatch(/-1$/);
    expect(taskIn(again.interrupts[0]!.id)).not.toBe(taskIn(paused.interrupts[0]!.id));
    expect(again.interrupts[0]?.metadata?.['contextId']).toBe(paused.interrupts[0]?.metadata?.['contextId']);
    expect(server.sent().at(-1)).toContain('sign Bob up');
  });

  it('sends a cancelled answer to the agent with onCancelled: decline', async () => {
    const taken: unknown[] = [];
    const { thread } = await start(signUp(taken), { onCancelled: 'decline' });
    const paused = await thread.say('sign me up');
    const interruptId = paused.interrupts[0]!.id;
    const entry = { interruptId, status: 'cancelled' as const, metadata: { reason: 'Not now.' } };
    const end = await thread.resume([entry], { answeredBy: { id: 'ana@example.com', scope: 'acme' } });
    expect(end.outcome).toBe('success');
    // The agent does not learn who it was.
    const metadata = { cancelled: true, reason: 'Cancelled by a person. Not now.' };
    expect(taken).toMatchObject([{ metadata, values: {} }]);
  });

  it('sends nothing for an invalid answer, an answer from another thread, or a second answer', async () => {
    const store = memoryStore();
    const { thread, server } = await start(signUp(), { store });
    const paused = await thread.say('sign me up');
    const { id } = paused.interrupts[0]!;
    const good = [{ interruptId: id, status: 'resolved' as const, payload: { email: 'a@b.c' } }];
    expect((await thread.answer(paused, { email: 5 })).error?.code).toBe('ANSWER_INVALID');
    expect((await thread.answer(paused, { email: 'a', more: 1 })).error?.code).toBe('ANSWER_INVALID');
    expect((await open(bridge(server, { store })).resume(good)).error?.code).toBe('INTERRUPT_UNKNOWN');
    expect(server.sent()).toHaveLength(1);
    expect((await thread.resume(good)).outcome).toBe('success');
    expect((await thread.resume(good)).error?.code).toBe('INTERRUPT_UNKNOWN');
    expect(server.sent()).toHaveLength(2);
  });

  it('numbers the interrupts of a task and counts repeated requests', async () => {
    const stubborn = executor((speaker) => {
      speaker.task(WORKING);
      speaker.status(ASKS, EMAIL_REQUEST);
    });
    const { thread } = await start(stubborn);
    const first = await thread.say('one');
    const second = await thread.answer(first, { email: 'x' });
    const ids = [first, second].map(({ interrupts }) => interrupts[0]!.id);
    expect(ids.map((id) => id.slice(id.lastIndexOf('-')))).toEqual(['-1', '-2']);
    expect(second.interrupts[0]?.metadata?.['repeats']).toBe(1);
  });
});

describe('artifacts and messages of an A2A agent', () => {
  const made = executor((speaker) => {
    speaker.task(WORKING);
    const chunk = { append: true, lastChunk: false };
    speaker.artifact({ artifactId: 'text', parts: [textPart('One ')] }, { lastChunk: false });
    speaker.artifact({ artifactId: 'text', parts: [textPart('two ')] }, chunk);
    speaker.artifact({ artifactId: 'text', parts: [textPart('three.')] }, { append: true, lastChunk: true });
    speaker.artifact({ artifactId: 'data', name: 'Numbers', parts: [dataPart({ n: [1, 2] })] });
    const file = { metadata: undefined, filename: 'a.txt', mediaType: 'text/plain' };
    speaker.artifact({
      artifactId: 'files',
      parts: [
        { ...file, content: { $case: 'raw', value: Buffer.from('hello') } },
        { ...file, content: { $case: 'url', value: 'https://example.com/a.txt' } },
      ],
    });
    speaker.status(ASKS, EMAIL_REQUEST);
  });

  it.each([true, false])(
    'a2aAgent shows each text as one message, and data and files as activities (streaming: %s)',
    async (streaming) => {
      const { thread } = await start(made, { streaming });
      const { types } = await thread.say('go');
      expect(thread.texts()).toEqual(['One two three.', 'Which e-mail address?']);
      expect(types.filter((type) => type === 'ACTIVITY_SNAPSHOT')).toHaveLength(4);
      const activities = thread.messages.flatMap((message) =>
        message.role === 'activity' && message.activityType === 'ARTIFACT' ? [message.content] : [],
      );
      expect(activities).toMatchObject([
        { artifactId: 'data', name: 'Numbers', part: { type: 'data', data: { n: [1, 2] } } },
        {
          artifactId: 'files',
          part: { type: 'file', bytes: btoa('hello'), filename: 'a.txt', mediaType: 'text/plain' },
        },
        { artifactId: 'files', part: { type: 'file', url: 'https://example.com/a.txt' } },
      ]);
    },
  );

  it('a2aAgent rebuilds the same interrupt, messages and state for a thread that lost them', async () => {
    const { thread, server } = await start(made);
    const paused = await thread.say('go');
    const before = {
      state: thread.state,
      texts: thread.texts(),
      ids: thread.messages.map(({ id }) => id).toSorted(),
    };
    thread.wipe();
    const rebuilt = await thread.again();
    expect(rebuilt.interrupts).toEqual(paused.interrupts);
    expect(thread.texts()).toEqual(before.texts);
    const withoutRun = (state: unknown) => JSON.stringify(state).replaceAll(/agui-run-\d+-\d+/g, 'run');
    expect(withoutRun(thread.state)).toBe(withoutRun(before.state));
    expect(before.ids.filter((id) => !id.startsWith('agui-'))).toEqual(
      thread.messages.map(({ id }) => id).toSorted(),
    );
    expect(server.sent()).toHaveLength(1);
  });

  it('a2aAgent shows a replaced artifact as a new message, and the rest of a text in the next run', async () => {
    const { thread } = await start(
      executor((speaker) => {
        speaker.task(WORKING);
        const isFirst = speaker.request.task === undefined;
        if (isFirst) {
          speaker.artifact({ artifactId: 'a', parts: [textPart('Draft.')] });
          speaker.artifact({ artifactId: 'a', parts: [textPart('Better ')] });
          speaker.status(ASKS, [textPart('Go on?')]);
          return;
        }
        speaker.artifact({ artifactId: 'a', parts: [textPart('text.')] }, { append: true });
        speaker.status(DONE);
      }),
    );
    await thread.answer(await thread.say('go'), 'yes');
    expect(thread.texts()).toEqual(['Draft.', 'Better ', 'Go on?', 'text.']);
  });

  it('a2aAgent shows a reply without a task and keeps its context', async () => {
    const chat = executor(({ bus, request }) => {
      const ids = { messageId: 'hello', contextId: request.contextId, role: 'agent' as const };
      bus.publish(AgentEvent.message(a2aMessage(ids, [textPart('Hello.')])));
    });
    const { thread, server } = await start(chat);
    expect((await thread.say('hi')).outcome).toBe('success');
    expect((await thread.say('hi again')).outcome).toBe('success');
    expect(thread.texts()).toEqual(['Hello.']);
    expect((await thread.again()).outcome).toBe('success');
    expect(server.sent()).toHaveLength(2);
    const contexts = server.sent().map((request) => /"contextId":"([^"]+)"/.exec(request)?.[1]);
    expect(contexts).toEqual([undefined, expect.any(String)]);
  });
});

describe('the end of a task', () => {
  it.each([
    [FAILED, 'error', 'TOOL_FAILED'],
    [TaskState.TASK_STATE_REJECTED, 'error', 'TOOL_FAILED'],
    [TaskState.TASK_STATE_CANCELED, 'cancelled', undefined],
    [DONE, 'success', undefined],
  ])('a task in the state %s ends the run as %s', async (state, outcome, code) => {
    const { thread } = await start(
      executor((speaker) => {
        speaker.task(WORKING);
        speaker.status(state, [textPart('That is all.')]);
      }),
    );
    const end = await thread.say('go');
    expect([end.outcome, end.error?.code]).toEqual([outcome, code]);
    expect(thread.texts()).toEqual(['That is all.']);
  });

  it('an auth-required task goes on after the authorization was given elsewhere, without a message', async () => {
    let granted: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      granted = resolve;
    });
    const { thread, server } = await start(
      executor(async (speaker) => {
        speaker.task(WORKING);
        speaker.status(TaskState.TASK_STATE_AUTH_REQUIRED, [textPart('Please log in at the bank.')]);
        await gate;
        speaker.status(DONE, [textPart('Thank you.')]);
      }),
    );
    const paused = await thread.say('go');
    expect(paused.interrupts).toMatchObject([
      { reason: 'a2a:auth_required', responseSchema: { type: ['string', 'null'] } },
    ]);
    expect((await thread.answer(paused, { password: 'x' })).error?.code).toBe('ANSWER_INVALID');
    granted();
    const end = await thread.resume([{ interruptId: paused.interrupts[0]!.id, status: 'resolved' }]);
    expect(end.outcome).toBe('success');
    expect(server.sent()).toHaveLength(1);
  });
});

it('a2aAgent connects with a given card', async () => {
  const server = await serve(signUp());
  const card = (await (await fetch(`${server.url}/.well-known/agent-card.json`)).json()) as object;
  const { a2aAgent } = await import('../index.ts');
  expect((await open(a2aAgent({ card })).say('sign me up')).interrupts).toHaveLength(1);
});

describe('parts and chunks of an A2A agent', () => {
  const activitiesOf = (messages: readonly { readonly role: string; readonly content?: unknown }[]) =>
    messages.flatMap(({ role, content }) => (role === 'activity' ? [content] : []));

  it.each([true, false])(
    'a2aAgent updates the activity of a replaced data artifact (streaming: %s)',
    async (streaming) => {
      const { thread } = await start(
        executor((speaker) => {
          speaker.task(WORKING);
          const isFirst = speaker.request.task === undefined;
          speaker.artifact({ artifactId: 'cart', parts: [dataPart({ items: isFirst ? 1 : 2 })] });
          if (isFirst) speaker.status(ASKS, [textPart('Go on?')]);
          else speaker.status(DONE);
        }),
        { streaming },
      );
      const paused = await thread.say('go');
      expect(activitiesOf(thread.messages)).toMatchObject([{ part: { data: { items: 1 } } }, {}]);
      await thread.answer(paused, 'yes');
      expect(activitiesOf(thread.messages)).toMatchObject([{ part: { data: { items: 2 } } }, {}]);
    },
  );

  it('a2aAgent shows data and files of status messages and replies once, and no parts of a request', async () => {
    const file = { metadata: undefined, filename: 'a.txt', mediaType: 'text/plain' };
    const { thread } = await start(
      executor((speaker) => {
        speaker.task(WORKING);
        speaker.status(WORKING, [
          textPart('Found.'),
          dataPart({ hits: 3 }),
          { ...file, content: { $case: 'url', value: 'https://example.com/a.txt' } },
        ]);
        speaker.status(ASKS, EMAIL_REQUEST);
      }),
    );
    await thread.say('go');
    await thread.again();
    const shown = thread.messages.filter(
      (message) => message.role === 'activity' && message.activityType === 'MESSAGE',
    );
    expect(shown.map(({ content }) => content)).toMatchObject([
      { part: { type: 'data', data: { hits: 3 } } },
      { part: { type: 'file', url: 'https://example.com/a.txt', filename: 'a.txt' } },
    ]);
    const reply = executor(({ bus, request }) => {
      const ids = { messageId: 'r', contextId: request.contextId, role: 'agent' as const };
      bus.publish(AgentEvent.message(a2aMessage(ids, [dataPart({ only: 'data' })])));
    });
    const direct = await start(reply);
    await direct.thread.say('hi');
    expect(activitiesOf(direct.thread.messages)).toEqual([
      { part: { type: 'data', data: { only: 'data' } } },
    ]);
  });

  it('a2aAgent ends the text of an artifact with its last chunk', async () => {
    const gate = createGate();
    const { thread } = await start(
      executor(async (speaker) => {
        speaker.task(WORKING);
        speaker.artifact({ artifactId: 'a', parts: [textPart('One ')] }, { lastChunk: false });
        speaker.artifact({ artifactId: 'a', parts: [textPart('two.')] }, { append: true, lastChunk: true });
        await gate.opened;
        speaker.status(DONE);
      }),
    );
    // The gate opens only after the end of the text.
    const end = await thread.say('go', {
      onEvent: ({ type }) => type === 'TEXT_MESSAGE_END' && gate.open(),
    });
    expect(end.outcome).toBe('success');
    expect(thread.texts()).toEqual(['One two.']);
  });
});

it('an auth-required task that waits for a message gets the answer', async () => {
  const heard: unknown[] = [];
  const { thread, server } = await start(
    executor((speaker) => {
      speaker.task(WORKING);
      if (speaker.request.task === undefined) {
        speaker.status(TaskState.TASK_STATE_AUTH_REQUIRED, [textPart('Log in, then tell me.')]);
        return;
      }
      heard.push(speaker.request.userMessage.parts[0]?.content?.value);
      speaker.status(DONE, [textPart('Thank you.')]);
    }),
  );
  const paused = await thread.say('go');
  expect(paused.interrupts).toMatchObject([{ reason: 'a2a:auth_required' }]);
  expect(thread.state).toMatchObject({
    view: { pendingInterrupts: { [paused.interrupts[0]!.id]: { reason: 'a2a:auth_required' } } },
  });
  expect((await thread.answer(paused, 'I am logged in.')).outcome).toBe('success');
  expect(heard).toEqual(['I am logged in.']);
  expect(server.sent()).toHaveLength(2);
});

it('headers and fetch of an A2A agent get the principal of the run, also for the card', async () => {
  const server = await serve(signUp());
  const seen: string[] = [];
  const agent = bridge(server, {
    headers: async ({ principal }) => ({ authorization: `Bearer ${principal?.id}` }),
    fetch: async (input, init, { principal }) => {
      seen.push(principal?.id ?? '');
      return fetch(input, init);
    },
  });
  const thread = open(agent);
  const paused = await thread.say('sign me up', { principal: { id: 'ann' } });
  await thread.answer(paused, { email: 'a@b.c' }, { principal: { id: 'bob' } });
  expect(new Set(seen)).toEqual(new Set(['ann', 'bob']));
  const tokens = server.requests.map((request) => /"authorization":"([^"]+)"/.exec(request)?.[1]);
  expect(tokens[0]).toBe('Bearer ann');
  expect(tokens.at(-1)).toBe('Bearer bob');
  expect(tokens).not.toContain(undefined);
});
