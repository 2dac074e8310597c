import { expect, it } from 'vitest';
import { answer, approve, cancel, reject } from '../../content/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import type { AiSdkPart } from './sdk.ts';
import { fromAiSdkAgent } from './from-ai-sdk-agent.ts';

/** Plays one script for each call, and keeps the messages that it was given. */
function scripted(...turns: readonly (readonly AiSdkPart[])[]) {
  const given: unknown[][] = [];
  const agent = fromAiSdkAgent(
    (messages: unknown[]) => {
      const parts = turns[given.push([...messages]) - 1] ?? [];
      const fullStream = (async function* () {
        yield* parts;
      })();
      return { fullStream, response: Promise.resolve({ messages: [SPOKEN] }) };
    },
    { tools: { ask: { outputSchema: { jsonSchema: { type: 'string' } } } } },
  );
  return { given, thread: runOnThread(agent) };
}

const SPOKEN = { role: 'assistant', content: [] };

const call = (id: string, name = 'pay'): AiSdkPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: { amount: 1 },
});
const approvalOf = (id: string): AiSdkPart => ({
  type: 'tool-approval-request',
  approvalId: `approval-${id}`,
  toolCall: { toolCallId: id, toolName: 'pay', input: { amount: 1 } },
});
const DONE: readonly AiSdkPart[] = [{ type: 'start-step' }, { type: 'text-delta', id: '1', text: 'Done.' }];

it('gives decisions back as approval responses, and the output of a person as a tool result', async () => {
  const { given, thread } = scripted(
    [call('a'), call('b'), call('c', 'ask'), approvalOf('a'), approvalOf('b')],
    DONE,
  );
  const { interrupts } = await thread.say('go');
  expect(interrupts.map(({ id, reason }) => [id, reason])).toEqual([
    ['approval-a', 'tool_call'],
    ['approval-b', 'tool_call'],
    ['c', 'input_required'],
  ]);
  expect(interrupts[2]?.responseSchema).toEqual({ type: 'string' });
  const [first, second, third] = interrupts;
  const ended = await thread.run([approve(first!), reject(second!, 'no'), answer(third!, 'x')]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Done.' });
  expect(given[1]?.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      { type: 'tool-approval-response', approvalId: 'approval-a', approved: true },
      { type: 'tool-approval-response', approvalId: 'approval-b', approved: false, reason: 'no' },
      { type: 'tool-result', toolCallId: 'c', output: { type: 'json', value: 'x' } },
    ],
  });
});

it('shows open interrupts without a call of the SDK', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')]);
  const { interrupts } = await thread.say('go');
  expect((await thread.run()).interrupts).toEqual(interrupts);
  expect(given).toHaveLength(1);
});

it('keeps the messages of all steps, where the SDK tells them apart from the last step', async () => {
  const given: unknown[][] = [];
  const steps = [SPOKEN, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }];
  const agent = fromAiSdkAgent((messages: unknown[]) => {
    given.push(messages);
    const fullStream = (async function* () {
      yield* DONE;
    })();
    return {
      fullStream,
      responseMessages: Promise.resolve(steps),
      get response(): never {
        throw new Error('It has the last step only.');
      },
    };
  });
  const thread = runOnThread(agent);
  await thread.say('go');
  await thread.say('next');
  expect(given[1]).toEqual([{ role: 'user', content: 'go' }, ...steps, { role: 'user', content: 'next' }]);
});

it('shows the reason of the SDK for an approval, and the reason of an automatic denial', async () => {
  const denied: AiSdkPart[] = [
    call('b'),
    {
      type: 'tool-approval-response',
      approvalId: 'approval-b',
      reason: 'Only admins pay.',
      toolCall: { toolCallId: 'b', toolName: 'pay', input: {} },
    },
    { type: 'tool-output-denied', toolCallId: 'b', toolName: 'pay' },
  ];
  const { thread } = scripted([call('a'), { ...approvalOf('a'), reason: 'A large payment.' }, ...denied]);
  const { interrupts, messages } = await thread.say('go');
  expect(interrupts).toMatchObject([{ id: 'approval-a', message: 'A large payment.' }]);
  expect(messages.at(-1)).toMatchObject({
    toolCallId: 'b',
    content: 'Tool call invocation rejected. Only admins pay.',
  });
});

it('makes approved calls before it passes on a message of the same input', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], DONE, DONE);
  const { interrupts } = await thread.say('go');
  await thread.say('and thanks', [approve(interrupts[0]!)]);
  expect(given[1]?.at(-1)).toMatchObject({ role: 'tool', content: [{ approved: true }] });
  expect(given[2]?.at(-1)).toEqual({ role: 'user', content: 'and thanks' });
});

it('keeps a message that came with an answer until the SDK waits no longer', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], [call('b'), approvalOf('b')], DONE, DONE);
  const first = await thread.say('go');
  const second = await thread.say('and thanks', [approve(first.interrupts[0]!)]);
  await thread.run([approve(second.interrupts[0]!)]);
  expect(given.map((messages) => (messages.at(-1) as { role: string }).role)).toEqual([
    'user',
    'tool',
    'tool',
    'user',
  ]);
});

/** The content of the messages of the role `tool` in what the SDK was given. */
const resultsIn = (messages: unknown[] | undefined) =>
  (messages as { role: string; content: unknown[] }[]).flatMap(({ role, content }) =>
    role === 'tool' ? content : [],
  );

it.each([
  ['finished', 'paid 1', { type: 'text', value: 'paid 1' }],
  ['finished', { id: 7 }, { type: 'json', value: { id: 7 } }],
  [
    'finished',
    undefined,
    { type: 'text', value: 'A person confirmed that the call was made. Its result is not known.' },
  ],
  [
    'skip',
    undefined,
    { type: 'text', value: 'A person decided to continue without this call. It has no result.' },
  ],
] as const)(
  'after a crash the decision %s with %o is the result of the call',
  async (action, result, output) => {
    const { given, thread } = scripted([call('a'), call('b'), approvalOf('a'), approvalOf('b')], DONE);
    const { interrupts } = await thread.say('go');
    const decision = { action, ...(result === undefined ? {} : { result }) };
    const told = await thread.run([approve(interrupts[0]!), reject(interrupts[1]!, 'no')], { decision });
    expect(resultsIn(given[1])).toEqual([
      { type: 'tool-result', toolCallId: 'a', toolName: 'pay', output },
      expect.objectContaining({ type: 'tool-approval-response', approved: false }),
    ]);
    expect(told.messages.map(({ content }) => content)).toContain(
      typeof output.value === 'string' ? output.value : JSON.stringify(output.value),
    );
  },
);

it('after a crash the decision to stop ends the turn without a call of the SDK, and the next message goes on', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], DONE);
  const { interrupts } = await thread.say('go');
  const stopped = await thread.run([approve(interrupts[0]!)], { decision: { action: 'abort' } });
  expect([stopped.outcome, given.length]).toEqual(['success', 1]);
  expect((await thread.say('next')).outcome).toBe('success');
  expect(resultsIn(given[1])).toMatchObject([{ type: 'tool-result', output: { value: 'Aborted.' } }]);
});

it('a turn that fails after an approval leaves the results of its calls, and is not continued', async () => {
  const paid: AiSdkPart = { type: 'tool-result', toolCallId: 'a', output: 'paid' };
  const { given, thread } = scripted(
    [call('a'), call('b'), approvalOf('a'), approvalOf('b')],
    [paid, { type: 'error', error: new Error('overloaded') }],
    DONE,
  );
  const { interrupts } = await thread.say('go');
  const reports: unknown[] = [];
  const failed = thread.run(
    interrupts.map((one) => approve(one)),
    { onDelivery: (report) => reports.push(report) },
  );
  await expect(failed).rejects.toThrow('The AI SDK reported an error.');
  expect(reports).toEqual([{ status: 'taken', failed: ['approval-b'] }]);
  expect((await thread.say('next')).outcome).toBe('success');
  expect(resultsIn(given[2])).toMatchObject([
    { toolCallId: 'a', output: { value: 'paid' } },
    { toolCallId: 'b', output: { value: 'The call failed.' } },
  ]);
});

it('a call of a stopped run has a result before the next message', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], DONE);
  await thread.say('go');
  await thread.say('next');
  expect(resultsIn(given[1])).toMatchObject([
    { toolCallId: 'a', output: { value: expect.stringContaining('It may have been made.') } },
  ]);
});

it('passes the files of a message on, and keeps them as JSON', async () => {
  const { given, thread } = scripted(DONE, DONE);
  await thread.say(WITH_FILES);
  await thread.say('next');
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'file', mediaType: 'image/png', data: 'data:image/png;base64,aGk=' },
    {
      type: 'file',
      mediaType: 'application/pdf',
      data: 'https://example.com/a.pdf',
      filename: 'a.pdf',
    },
  ];
  expect(given.map(([first]) => first)).toEqual([
    { role: 'user', content },
    { role: 'user', content },
  ]);
});

it('ends the run with a reason for a file that the framework does not take, and goes on with the next message', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], DONE);
  const { interrupts } = await thread.say('go');
  const reports: unknown[] = [];
  const refused = await thread.say(AT_A_PROVIDER, [cancel(interrupts[0]!)], {
    onDelivery: (report) => reports.push(report),
  });
  const reason = 'The AI SDK does not take a file by its id at a provider; send its data or a URL.';
  expect(refused.outcome).toBe(`INPUT_INVALID: ${reason}`);
  expect(reports).toEqual([{ status: 'open', reason }]);
  expect(given).toHaveLength(1);
  await thread.run([reject(interrupts[0]!, 'no')]);
  expect(JSON.stringify(given[1])).toMatch(/"reason":"no"/);
  expect(JSON.stringify(given[1])).not.toContain('Look.');
});
