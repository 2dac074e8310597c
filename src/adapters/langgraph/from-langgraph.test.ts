import { expect, it } from 'vitest';
import { cancel } from '../../content/index.ts';
import { AT_A_PROVIDER, runOnThread, WITH_FILES } from '../testing-support/run-on-thread.ts';
import { fromLangGraph } from './from-langgraph.ts';
import type { GraphTask } from './sdk.ts';

/** A graph that stores its input, and asks about a call if `asks` is set. */
function standIn(asks = false) {
  const given: unknown[] = [];
  const values: { messages: unknown[] } = { messages: [] };
  let tasks: readonly GraphTask[] = [];
  const graph = {
    checkpointer: { getTuple: async () => undefined },
    getState: async () => ({ values, config: {}, tasks }),
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
  return { given, thread: runOnThread(fromLangGraph(graph)) };
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
