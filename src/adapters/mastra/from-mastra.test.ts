import { expect, it } from 'vitest';
import { answer, approve, cancel, reject } from '../../content/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import { fromMastra } from './from-mastra.ts';
import type { MastraChunk, WorkflowResult } from './sdk.ts';

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
