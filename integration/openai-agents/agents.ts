/** Agents of the OpenAI Agents SDK on a scripted model, as the SDK's pages show them. */
import * as sdk from '@openai/agents';
import { z } from 'zod';

import { fromOpenAiAgents } from '../../src/adapters/openai-agents/index.ts';
import type { CreateAgents } from '../serve.ts';
import type { World } from '../world.ts';
import { nextTurn } from '../world.ts';

type Item = sdk.AgentInputItem;

/** How a model calls a tool in place of `pay`. */
type ToCall = (amount: unknown) => { readonly name: string; readonly args: object };

const ACT: ToCall = (amount) => ({ name: 'pay', args: { amount } });
const DELEGATE: ToCall = (amount) => ({ name: 'clerk', args: { input: `pay ${String(amount)}` } });
const HAND_OVER: ToCall = () => ({ name: 'transfer_to_payer', args: {} });

function outputFor(input: string | readonly Item[], speaker: string, toCall: ToCall): sdk.AgentOutputItem[] {
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const lastUser = items.findLastIndex((item) => 'role' in item && item.role === 'user');
  const said = items[lastUser] as { content: unknown };
  const resultsIn = (from: number) =>
    items
      .slice(from)
      .filter((item) => item.type === 'function_call_result' && !item.name.startsWith('transfer_to'))
      .map((item) => JSON.stringify((item as { output: unknown }).output));
  const turn = nextTurn(said.content, resultsIn(lastUser + 1), resultsIn(0));
  if ('text' in turn) {
    const content = [{ type: 'output_text' as const, text: `${speaker}: ${turn.text}` }];
    return [{ type: 'message', role: 'assistant', status: 'completed', content }];
  }
  const calls = turn.calls.map(({ args }) => toCall(args['amount']));
  return (toCall === HAND_OVER ? calls.slice(0, 1) : calls).map(({ name, args }, index) => ({
    type: 'function_call' as const,
    callId: `call-of-${speaker}-${items.length}-${index}-${JSON.stringify(args)}`.replaceAll(/[^\w-]/g, ''),
    name,
    status: 'completed' as const,
    arguments: JSON.stringify(args),
  }));
}

function modelOf(speaker: string, toCall: ToCall = ACT): sdk.Model {
  return {
    getResponse: async ({ input }) => ({
      usage: new sdk.Usage(),
      output: outputFor(input, speaker, toCall),
    }),
    async *getStreamedResponse({ input }) {
      const output = outputFor(input, speaker, toCall);
      for (const { type, content } of output as { type: string; content?: { text: string }[] }[]) {
        for (const { text } of type === 'message' ? (content ?? []) : [])
          yield { type: 'output_text_delta', delta: text };
      }
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      yield { type: 'response_done', response: { id: 'response', usage, output: output as never } };
    },
  };
}

function payTool(world: World, needsApproval: boolean) {
  return sdk.tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval,
    execute: ({ amount }) => world.pay(amount),
  });
}

export const createAgents: CreateAgents = (world) => {
  sdk.setTracingDisabled(true);
  const payer = new sdk.Agent({
    name: 'payer',
    model: modelOf('Payer'),
    tools: [payTool(world, true)],
  });
  const about = { toolName: 'clerk', toolDescription: 'Pays.' };
  const asking = payer.asTool(about);
  const asked = new sdk.Agent({
    name: 'clerk',
    model: modelOf('Clerk'),
    tools: [payTool(world, false)],
  }).asTool({ ...about, needsApproval: true });
  const withContext = sdk.tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }, context?: sdk.RunContext<World>) => context!.context.pay(amount),
  });
  // The SDK ends the run when this tool throws.
  const strict = sdk.tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    needsApproval: true,
    errorFunction: null,
    execute: ({ amount }) => world.pay(amount),
  });
  const manager = (tool: sdk.Tool) =>
    new sdk.Agent({ name: 'manager', model: modelOf('Manager', DELEGATE), tools: [tool] });
  const triage = sdk.Agent.create({
    name: 'triage',
    model: modelOf('Triage', HAND_OVER),
    handoffs: [payer],
  });
  return {
    agent: fromOpenAiAgents(payer, sdk),
    nested: fromOpenAiAgents(manager(asking), sdk),
    agentTool: fromOpenAiAgents(manager(asked), sdk),
    handoff: fromOpenAiAgents(triage, sdk),
    strict: fromOpenAiAgents(new sdk.Agent({ name: 'payer', model: modelOf('Payer'), tools: [strict] }), sdk),
    context: fromOpenAiAgents(
      new sdk.Agent<World>({ name: 'payer', model: modelOf('Payer'), tools: [withContext] }),
      sdk,
      { run: { context: world } },
    ),
  };
};
