import { expect, it } from 'vitest';
import { answer, approve, cancel, reject } from '../../content/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import type { Interrupt } from '../../protocol/index.ts';
import type { AdapterAgent } from '../emit-run.ts';
import { fromMastra } from './from-mastra.ts';
import type { MastraAgent, MastraChunk, WorkflowResult } from './sdk.ts';

/** An agent that asks for two approvals and an input, one after the other. */
function standIn(hasOwnMemory = true) {
  const calls: unknown[] = [];
  const asks: MastraChunk[] = [
    { type: 'tool-call-approval', payload: { toolCallId: 'a', toolName: 'pay', args: { amount: 1 } } },
    { type: 'tool-call-approval', payload: { toolCallId: 'b', toolName: 'pay', args: { amount: 2 } } },
    {
      type: 'tool-call-suspended',
      payload: {
        toolCallId: 'c',
        toolName: 'ask',
        suspendPayload: { message: 'Email?' },
        resumeSchema: '{"type":"string"}',
      },
    },
  ];
  const next = async (...call: unknown[]) => {
    calls.push(call);
    const fullStream = (async function* () {
      yield asks.shift() ?? { type: 'text-delta', payload: { text: 'Done.' } };
    })();
    return { runId: 'run', fullStream };
  };
  const agent = fromMastra({
    hasOwnMemory: () => hasOwnMemory,
    stream: (messages: unknown, options: { memory: unknown }) => next('stream', messages, options.memory),
    approveToolCall: ({ runId, toolCallId }: { runId: string; toolCallId: string }) =>
      next('approve', runId, toolCallId),
    declineToolCall: ({ toolCallId, reason }: { toolCallId: string; reason?: string }) =>
      next('decline', toolCallId, reason),
    resumeStream: (data: unknown, { toolCallId }: { toolCallId: string }) => next('resume', toolCallId, data),
  });
  return { calls, thread: runOnThread(agent) };
}

it('approves, declines with the reason and resumes with the value, call after call', async () => {
  const { calls, thread } = standIn();
  const first = await thread.say('go');
  const second = await thread.run([approve(first.interrupts[0]!)]);
  const third = await thread.run([reject(second.interrupts[0]!, 'no')]);
  expect(third.interrupts).toMatchObject([
    { id: 'c', message: 'Email?', responseSchema: { type: 'string' } },
  ]);
  const ended = await thread.run([answer(third.interrupts[0]!, 'x')]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Done.' });
  expect(calls).toEqual([
    ['stream', [{ role: 'user', content: 'go' }], { thread: 'a:t', resource: 'a' }],
    ['approve', 'run', 'a'],
    ['decline', 'b', 'no'],
    ['resume', 'c', 'x'],
  ]);
});

it('resumes each suspended step of a workflow, and cancels a run with a cancelled step', async () => {
  const calls: unknown[] = [];
  const suspended: WorkflowResult = { status: 'suspended', suspended: [['one'], ['two']], steps: {} };
  const results: WorkflowResult[] = [suspended, suspended, { status: 'success', result: 'Done.' }, suspended];
  const call = async (...given: unknown[]) => {
    calls.push(given);
    return results.shift();
  };
  const run = {
    start: ({ inputData }: { inputData: unknown }) => call('start', inputData),
    resume: ({ step, resumeData }: { step: unknown; resumeData: unknown }) =>
      call('resume', step, resumeData),
    cancel: async () => calls.push(['cancel']),
  };
  const thread = runOnThread(fromMastra({ steps: {}, createRun: async () => run }));
  const { interrupts } = await thread.say('go');
  const ended = await thread.run(interrupts.map((one) => answer(one, one.message)));
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Done.' });
  const again = await thread.say('again');
  const stopped = await thread.run(again.interrupts.map((one) => cancel(one)));
  expect(stopped.outcome).toBe('success');
  expect((await thread.say(WITH_FILES)).outcome).toBe(
    'INPUT_INVALID: A Mastra workflow does not take files of the type image/png.',
  );
  expect(calls).toEqual([
    ['start', { message: 'go' }],
    ['resume', ['one'], 'one'],
    ['resume', ['two'], 'two'],
    ['start', { message: 'again' }],
    ['cancel'],
  ]);
});

it('passes the files of a message on, and of the whole conversation to an agent without a memory', async () => {
  const files = [
    { type: 'text', text: 'Look.' },
    { type: 'file', mediaType: 'image/png', data: 'data:image/png;base64,aGk=' },
    { type: 'file', mediaType: 'application/pdf', data: 'https://example.com/a.pdf', filename: 'a.pdf' },
  ];
  const { calls, thread } = standIn(false);
  expect((await thread.say(AT_A_PROVIDER)).outcome).toMatch(/^INPUT_INVALID: Mastra does not take a file /);
  await thread.say(WITH_FILES);
  await thread.say('next');
  expect(calls.map((call) => (call as unknown[])[1])).toEqual([
    [{ role: 'user', content: files }],
    [
      { role: 'user', content: files },
      { role: 'user', content: 'next' },
    ],
  ]);
});

/** A workflow with one step that waits at the time `asked`; `state` is what Mastra has stored of the run. */
function suspendedWorkflow(asked = 1) {
  const calls: unknown[] = [];
  const suspended: WorkflowResult & object = {
    status: 'suspended',
    suspended: [['pay']],
    steps: { pay: { suspendPayload: { reason: 'Human approval required.' }, suspendedAt: asked } },
  };
  const stored = { ...suspended, suspendedPaths: { pay: [0] } };
  const world: {
    state: object | null;
    resumed: () => Promise<WorkflowResult>;
    restarted: () => Promise<WorkflowResult>;
  } = {
    state: stored,
    resumed: async () => ({ status: 'success', result: 'Paid.' }),
    restarted: async () => suspended,
  };
  const run = {
    start: async () => suspended,
    resume: ({ resumeData }: { resumeData: unknown }) => {
      calls.push(['resume', resumeData]);
      return world.resumed();
    },
    restart: () => {
      calls.push(['restart']);
      return world.restarted();
    },
    cancel: async () => calls.push(['cancel']),
  };
  const agent: AdapterAgent = fromMastra({
    steps: {},
    createRun: async () => run,
    getWorkflowRunById: async () => world.state,
    restartAllActiveWorkflowRuns: async () => undefined,
  });
  return { calls, world, stored, agent, thread: runOnThread(agent) };
}

const IN_DOUBT: Interrupt = { id: 'r', reason: 'error_recovery', metadata: { interruptIds: ['x'] } };

it('shows the reason of suspend() as the message', async () => {
  const { thread } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  expect(interrupts).toMatchObject([{ message: 'Human approval required.', reason: 'input_required' }]);
});

it('ends the run with TOOL_FAILED when a step fails, and reports the answer as taken', async () => {
  const { thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.resumed = async () => ({ status: 'failed', error: { message: 'Bank offline' } });
  const reports: unknown[] = [];
  const failed = thread.run([answer(interrupts[0]!, 'x')], { onDelivery: (report) => reports.push(report) });
  await expect(failed).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'The workflow failed: Bank offline',
  });
  expect(reports).toEqual([{ status: 'taken', failed: [interrupts[0]!.id] }]);
});

it('keeps an interrupt open when the workflow refuses the answer', async () => {
  const { thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  const { resumed } = world;
  world.resumed = () => Promise.reject(new Error('Invalid resume data'));
  const { outcome } = await thread.run([answer(interrupts[0]!, 'x')]);
  expect(outcome).toBe('ANSWER_INVALID: The workflow rejected the answer: Invalid resume data');
  world.resumed = resumed;
  const ended = await thread.run([answer(interrupts[0]!, 'y')]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Paid.' });
});

it.each([
  ['the same question', 1, 'waiting'],
  ['the next question of the same step', 2, 'taken'],
])('reconciles an answer with %s as %s', async (_name, suspendedAt, expected) => {
  const { agent, thread, world, stored } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.state = { ...stored, steps: { pay: { suspendedAt } } };
  expect(await agent.reconcile?.(interrupts[0]!, { scope: 'a', thread: 't' })).toBe(expected);
});

it.each([
  ['running', 'consumed'],
  ['success', 'taken'],
  ['failed', 'taken'],
  [null, 'unknown'],
])('reconciles an answer with a run that is %s as %s', async (status, expected) => {
  const { agent, thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.state = status === null ? null : { status };
  expect(await agent.reconcile?.(interrupts[0]!, { scope: 'a', thread: 't' })).toBe(expected);
});

it('restarts a run that was lost in a step before it gives the answer again', async () => {
  const { calls, thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.state = { status: 'running' };
  const ended = await thread.run([answer(interrupts[0]!, 'x')], { openInterrupts: [IN_DOUBT] });
  expect(calls).toEqual([['restart'], ['resume', 'x']]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Paid.' });
});

it('shows the result of a run that ended before its host was lost, and resumes nothing', async () => {
  const { calls, thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.state = { status: 'success', result: 'Paid before.' };
  const ended = await thread.run([answer(interrupts[0]!, 'x')], { recovers: true });
  expect(calls).toEqual([]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Paid before.' });
});

it('cancels a lost run when a person says that its step finished, and says the result', async () => {
  const { calls, thread, world } = suspendedWorkflow();
  const { interrupts } = await thread.say('go');
  world.state = { status: 'running' };
  const decision = { action: 'finished', result: 'Paid by hand.' } as const;
  const ended = await thread.run([answer(interrupts[0]!, 'x')], { openInterrupts: [IN_DOUBT], decision });
  expect(calls).toEqual([['cancel']]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Paid by hand.' });
});

it('offers no second attempt for a workflow that cannot restart, and none for a workflow as a tool', async () => {
  const canRetry = (agent: AdapterAgent, toolName = 'pay') =>
    agent.canRetry?.({ id: 'x', reason: 'input_required', metadata: { toolName } });
  expect(canRetry(suspendedWorkflow().agent)).toBe(true);
  expect(canRetry(fromMastra({ steps: {}, createRun: async () => ({}) }))).toBe(false);
  const agent = fromMastra({} as MastraAgent);
  expect([canRetry(agent), canRetry(agent, 'workflow-pay')]).toEqual([true, false]);
});

it('shows the calls of an agent to the policies of a host, and not the steps of a workflow', () => {
  const agent: AdapterAgent = fromMastra({} as MastraAgent);
  expect([agent.showsCalls, suspendedWorkflow().agent.showsCalls]).toEqual([true, undefined]);
});

it('reports an answer as taken, and its call without a result as failed, when an agent ends with an error', async () => {
  const streamOf = (chunk: MastraChunk) => ({
    runId: 'run',
    fullStream: (async function* () {
      yield chunk;
    })(),
  });
  const asked: MastraChunk = {
    type: 'tool-call-approval',
    payload: { toolCallId: 'a', toolName: 'pay', args: {} },
  };
  const thread = runOnThread(
    fromMastra({
      stream: async () => streamOf(asked),
      approveToolCall: async () => streamOf({ type: 'error', payload: { error: 'overloaded' } }),
    } as unknown as MastraAgent),
  );
  const { interrupts } = await thread.say('go');
  const reports: unknown[] = [];
  const failed = thread.run([approve(interrupts[0]!)], { onDelivery: (report) => reports.push(report) });
  await expect(failed).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  expect(reports).toEqual([{ status: 'taken', failed: ['a'] }]);
});
