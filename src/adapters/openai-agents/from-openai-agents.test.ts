import { expect, it } from 'vitest';
import { approve, reject } from '../../content/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import { fromOpenAiAgents } from './from-openai-agents.ts';
import type { AgentsAgent, AgentsEvent, ApprovalItem, ToolEndListener } from './sdk.ts';

/** The listeners of the agent that makes the calls. */
const listeners = new Set<ToolEndListener>();
const payer: AgentsAgent = {
  name: 'payer',
  on: (_event, listener) => listeners.add(listener),
  off: (_event, listener) => listeners.delete(listener),
};

const item = (callId: string): ApprovalItem => ({
  agent: payer,
  rawItem: { callId, name: 'pay', arguments: '{"amount":1}' },
});

/** The SDK: its first run waits for two calls, every later run ends. */
function standIn(lastAgent?: { readonly name: string }) {
  const agents: unknown[] = [];
  const inputs: unknown[] = [];
  const decisions: unknown[] = [];
  const usage = {};
  const stateOf = (text: string) => ({
    text,
    usage,
    getInterruptions: () => [item('a'), item('b')],
    approve: ({ rawItem }: ApprovalItem) => decisions.push(['approve', rawItem.callId]),
    reject: ({ rawItem }: ApprovalItem, options: object) =>
      decisions.push(['reject', rawItem.callId, options]),
    toString: () => text,
  });
  const sdk = {
    async run(agent: object, input: unknown) {
      agents.push(agent);
      const waits = inputs.push(input) === 1;
      const events: AgentsEvent[] = waits
        ? []
        : [{ type: 'raw_model_stream_event', data: { type: 'output_text_delta', delta: 'Done.' } }];
      const stream = (async function* () {
        for (const listener of listeners) {
          listener({ usage: {} }, {}, 'of another run', { toolCall: { callId: 'a' } });
          listener({ usage }, {}, 'paid', { toolCall: { callId: 'a' } });
        }
        yield* events;
      })();
      const interruptions = waits ? [item('a'), item('b')] : [];
      const rest = {
        completed: Promise.resolve(),
        interruptions,
        state: stateOf('saved'),
        history: ['history'],
        lastAgent,
      };
      return Object.assign(stream, rest);
    },
    RunState: {
      fromString: async (_agent: object, text: string) => stateOf(text),
      fromStringWithContext: async (_agent: object, text: string, { context }: { context: unknown }) => ({
        ...stateOf(text),
        context,
      }),
    },
    RunContext: class {
      readonly context: unknown;
      constructor(context: unknown) {
        this.context = context;
      }
    },
  };
  return { sdk, agents, inputs, decisions };
}

it('resumes the serialised state with each decision, and continues later from the history', async () => {
  const { sdk, inputs, decisions } = standIn();
  const thread = runOnThread(fromOpenAiAgents({}, sdk));
  const { interrupts } = await thread.say('go');
  expect(interrupts).toMatchObject([
    { id: 'a', metadata: { functionName: 'pay', functionArguments: { amount: 1 } } },
    { id: 'b' },
  ]);
  const ended = await thread.run([approve(interrupts[0]!), reject(interrupts[1]!, 'no')]);
  expect(ended.messages.at(-1)).toMatchObject({ content: 'Done.' });
  expect(decisions).toEqual([
    ['approve', 'a'],
    ['reject', 'b', { message: 'no' }],
  ]);
  expect(inputs[1]).toMatchObject({ text: 'saved' });
  await thread.say('next');
  expect(inputs[2]).toEqual(['history', { role: 'user', content: 'next' }]);
});

it('shows the calls of agents behind tools, and the results of this run only', async () => {
  const { sdk } = standIn();
  const thread = runOnThread(fromOpenAiAgents({}, sdk));
  const { interrupts, messages } = await thread.say('go');
  expect(
    messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : [])),
  ).toMatchObject([{ id: 'a', function: { name: 'pay' } }, { id: 'b' }]);
  const ended = await thread.run([approve(interrupts[0]!), reject(interrupts[1]!, 'no')]);
  const results = ended.messages.filter(({ role }) => role === 'tool');
  expect(results.map(({ content }) => content)).toEqual(['paid', 'Tool call invocation rejected. no']);
  expect(listeners.size).toBe(0);
});

it('the next message starts at the agent that spoke last', async () => {
  const clerk = { name: 'clerk' };
  const payer = { name: 'payer', handoffs: [{ agent: clerk }] };
  const first = { name: 'triage', handoffs: [payer] };
  const { sdk, agents } = standIn(clerk);
  const thread = runOnThread(fromOpenAiAgents(first, sdk));
  const { interrupts } = await thread.say('go');
  await thread.run(interrupts.map((one) => approve(one)));
  await thread.say('next');
  expect(agents).toEqual([first, first, clerk]);
});

it('a run that continues has the context of the application, with its methods', async () => {
  const context = { name: () => 'Ann' };
  const { sdk, inputs } = standIn();
  const thread = runOnThread(fromOpenAiAgents({}, sdk, { run: { context } }));
  const { interrupts } = await thread.say('go');
  await thread.run(interrupts.map((one) => approve(one)));
  expect((inputs[1] as { context: { context: unknown } }).context).toBe(context);
});

it('after a crash what a person says is the output of the approved call', async () => {
  const { sdk, inputs, decisions } = standIn();
  const thread = runOnThread(fromOpenAiAgents({}, sdk));
  const { interrupts } = await thread.say('go');
  const decision = { action: 'finished', result: 'paid' } as const;
  const told = await thread.run([approve(interrupts[0]!), reject(interrupts[1]!, 'no')], { decision });
  expect(decisions).toEqual([
    ['reject', 'a', { message: 'paid' }],
    ['reject', 'b', { message: 'no' }],
  ]);
  expect(told.messages.map(({ content }) => content)).toContain('paid');
  expect(inputs).toHaveLength(2);
});

it('passes the files of a message on, and rejects a video', async () => {
  const { sdk, inputs } = standIn();
  const thread = runOnThread(fromOpenAiAgents({}, sdk));
  await thread.say([
    ...WITH_FILES,
    { type: 'image', source: { type: 'file', value: 'file-1', provider: 'openai' } },
    { type: 'audio', source: { type: 'data', value: 'aGk=', mimeType: 'audio/wav' } },
  ]);
  const content = [
    { type: 'input_text', text: 'Look.' },
    { type: 'input_image', image: 'data:image/png;base64,aGk=' },
    { type: 'input_file', file: { url: 'https://example.com/a.pdf' }, filename: 'a.pdf' },
    { type: 'input_image', image: { id: 'file-1' } },
    { type: 'audio', audio: 'aGk=', format: 'wav' },
  ];
  expect(inputs).toEqual([[{ role: 'user', content }]]);
  const source = { type: 'data' as const, value: 'aGk=', mimeType: 'video/mp4' };
  for (const parts of [AT_A_PROVIDER, [{ type: 'video' as const, source }]]) {
    const { outcome } = await runOnThread(fromOpenAiAgents({}, sdk)).say(parts);
    expect(outcome).toMatch(/^INPUT_INVALID: The OpenAI Agents SDK does not take /);
  }
});
