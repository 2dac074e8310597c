import { expect, it } from 'vitest';
import { answer, cancel } from '../../content/index.ts';
import type { Message } from '../../protocol/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import type { FromLangGraphOptions } from './from-langgraph.ts';
import { fromLangGraph } from './from-langgraph.ts';
import type { GraphTask } from './sdk.ts';

/** A graph that stores its input, and asks about a call if `asks` is set. */
function standIn(asks = false) {
  const given: unknown[] = [];
  const values: { messages: unknown[] } = { messages: [] };
  let tasks: readonly GraphTask[] = [];
  let isLost = false;
  const graph = {
    checkpointer: { getTuple: async () => (isLost ? undefined : {}) },
    getState: async () => (isLost ? { values: {}, config: {}, tasks: [] } : { values, config: {}, tasks }),
    async stream(input: unknown) {
      given.push(input);
      values.messages.push(...(input as typeof values).messages);
      if (asks) {
        values.messages.push({ id: 'ai', type: 'ai', tool_calls: [{ id: 'call', name: 'pay', args: {} }] });
        tasks = [{ id: 'task', name: 'node', interrupts: [{ id: 'x', value: 'Pay?' }] }];
      }
      const raised = asks ? { __interrupt__: [{ id: 'x' }] } : {};
      return (async function* () {
        yield [[], 'values', { ...values, ...raised }];
      })();
    },
  };
  const lose = () => (isLost = true);
  return { given, graph, lose, thread: runOnThread(fromLangGraph(graph)) };
}

it('passes the files of a message on, and ends the run with a reason for a file that LangChain does not take', async () => {
  const { given, thread } = standIn();
  const { outcome } = await thread.say(AT_A_PROVIDER);
  expect(outcome).toMatch(/^INPUT_INVALID: LangGraph does not take a file by its id /);
  await thread.say([
    ...WITH_FILES,
    { type: 'audio', source: { type: 'data', value: 'aGk=', mimeType: 'audio/wav' } },
  ]);
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    {
      type: 'file',
      source_type: 'url',
      url: 'https://example.com/a.pdf',
      mime_type: 'application/pdf',
      metadata: { filename: 'a.pdf' },
    },
    { type: 'audio', source_type: 'base64', data: 'aGk=', mime_type: 'audio/wav' },
  ];
  expect(given).toEqual([{ messages: [{ role: 'user', id: 'said-1', content }] }]);
});

it('closes the call of a cancelled interrupt with the reason when the next message comes', async () => {
  const { given, thread } = standIn(true);
  const { interrupts } = await thread.say('go');
  const answeredBy = { id: 'bob', scope: 'a' };
  const cancelled = await thread.run([cancel(interrupts[0]!, { reason: 'Not now.' })], { answeredBy });
  expect(cancelled.outcome).toBe('cancelled');
  await thread.say('next');
  const result = { role: 'tool', tool_call_id: 'call', name: 'pay', content: 'Cancelled by bob. Not now.' };
  expect(given[1]).toEqual({ messages: [result, { role: 'user', id: 'said-2', content: 'next' }] });
});

it('ends the first run with an error that names toInput if the graph has no messages and the client no state', async () => {
  const given: unknown[] = [];
  const graph = {
    checkpointer: { getTuple: async () => undefined },
    streamChannels: ['topic'],
    getState: async () => ({ values: {}, config: {}, tasks: [] }),
    async stream(input: unknown) {
      given.push(input);
      return (async function* () {})();
    },
  };
  const { outcome } = await runOnThread(fromLangGraph(graph)).say('go');
  expect(outcome).toMatch(/^INPUT_INVALID: .*`messages`.*`toInput`/);
  expect(given).toEqual([]);
  const toInput = (messages: readonly Message[]) => ({ topic: messages[0]?.content });
  expect((await runOnThread(fromLangGraph(graph, { toInput })).say('go')).outcome).toBe('success');
  expect(given).toEqual([{ topic: 'go' }]);
});

it("gives the graph only the named members of a client's state", async () => {
  const { given, graph } = standIn();
  const run = async (options: FromLangGraphOptions) => {
    const input = {
      threadId: 't',
      runId: 'r',
      messages: [{ id: `said-${given.length}`, role: 'user' as const, content: 'go' }],
      tools: [],
      context: [],
      state: { approved: true, topic: 'news' },
      forwardedProps: {},
    };
    for await (const _event of fromLangGraph(graph, options).run(input, {}));
    return given.at(-1);
  };
  expect(Object.keys((await run({})) as object)).toEqual(['messages']);
  expect(await run({ clientState: ['topic'] })).toMatchObject({ topic: 'news' });
  expect(
    await run({ clientState: ['topic'], toInput: (_messages, state) => ({ messages: [], state }) }),
  ).toEqual({
    messages: [],
    state: { topic: 'news' },
  });
  expect(JSON.stringify(given)).not.toContain('approved');
});

it('gives an answer back with an error if the checkpointer lost the thread', async () => {
  const { given, graph, thread, lose } = standIn(true);
  const { interrupts } = await thread.say('go');
  const agent = fromLangGraph(graph);
  lose();
  const reports: unknown[] = [];
  const onDelivery = (report: unknown) => reports.push(report);
  const { outcome } = await thread.run([answer(interrupts[0]!, 'yes')], { onDelivery });
  expect(outcome).toMatch(/^UNAVAILABLE: .*has no checkpoint/);
  expect(reports).toEqual([{ status: 'open', reason: outcome.slice('UNAVAILABLE: '.length) }]);
  expect(given).toHaveLength(1);
  // A host that checks open interrupts does not close them.
  expect(await agent.reconcile(interrupts[0]!, { scope: 'a', thread: 't' })).toBe('unknown');
});

it('shows calls to the policies of a host if the agent has the middleware of LangChain that asks about them', () => {
  const { graph } = standIn();
  const agentWith = (name: string) => {
    const agent = { graph, options: { middleware: [{ name }] } };
    return fromLangGraph(agent);
  };
  expect(agentWith('HumanInTheLoopMiddleware').showsCalls).toBe(true);
  expect(agentWith('SummarizationMiddleware').showsCalls).toBe(false);
  expect(fromLangGraph(graph).showsCalls).toBe(false);
});
