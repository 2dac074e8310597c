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
      return { fullStream, response: Promise.resolve({ messages: [{ role: 'assistant', content: [] }] }) };
    },
    { tools: { ask: { outputSchema: { jsonSchema: { type: 'string' } } } } },
  );
  return { given, thread: runOnThread(agent) };
}

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

it('keeps a result for a denied call that the SDK gave none, and shows open interrupts without a call', async () => {
  const { given, thread } = scripted([call('a'), approvalOf('a')], DONE, DONE);
  const { interrupts } = await thread.say('go');
  expect((await thread.run()).interrupts).toEqual(interrupts);
  expect(given).toHaveLength(1);
  await thread.run([cancel(interrupts[0]!)]);
  await thread.say('next');
  expect(given[2]?.filter((message) => (message as { role: string }).role === 'tool')).toMatchObject([
    {
      content: [
        { type: 'tool-approval-response', approved: false, reason: 'Cancelled: nobody answered.' },
        { type: 'tool-result', toolCallId: 'a', output: { type: 'execution-denied' } },
      ],
    },
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
