/** An agent of the OpenAI Agents SDK on a scripted model. */
import * as sdk from '@openai/agents';
import { z } from 'zod';

import { fromOpenAiAgents } from '../../src/adapters/openai-agents/index.ts';
import type { CreateAgents } from '../serve.ts';
import { nextTurn } from '../world.ts';

type Item = sdk.AgentInputItem;

function outputFor(input: string | readonly Item[]): sdk.AgentOutputItem[] {
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const lastUser = items.findLastIndex((item) => 'role' in item && item.role === 'user');
  const said = items[lastUser] as { content: unknown };
  const resultsIn = (from: number) =>
    items
      .slice(from)
      .filter(({ type }) => type === 'function_call_result')
      .map((item) => JSON.stringify((item as { output: unknown }).output));
  const turn = nextTurn(said.content, resultsIn(lastUser + 1), resultsIn(0));
  if ('text' in turn) {
    const content = [{ type: 'output_text' as const, text: turn.text }];
    return [{ type: 'message', role: 'assistant', status: 'completed', content }];
  }
  return turn.calls.map(({ name, args }, index) => ({
    type: 'function_call' as const,
    callId: `call-${items.length}-${index}-${String(args['amount'])}`,
    name,
    status: 'completed' as const,
    arguments: JSON.stringify(args),
  }));
}

const model: sdk.Model = {
  getResponse: async ({ input }) => ({ usage: new sdk.Usage(), output: outputFor(input) }),
  async *getStreamedResponse({ input }) {
    const output = outputFor(input);
    for (const { type, content } of output as { type: string; content?: { text: string }[] }[]) {
      for (const { text } of type === 'message' ? (content ?? []) : [])
        yield { type: 'output_text_delta', delta: text };
    }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: 'response_done', response: { id: 'response', usage, output: output as never } };
  },
};

export const createAgents: CreateAgents = (world) => {
  sdk.setTracingDisabled(true);
  const pay = sdk.tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => world.pay(amount),
  });
  return { agent: fromOpenAiAgents(new sdk.Agent({ name: 'payer', model, tools: [pay] }), sdk) };
};
