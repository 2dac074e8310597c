/** Agents of the AI SDK, and an application that calls `streamText` itself, as the SDK's pages show them. */
import { jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent } from 'ai';
import type { LanguageModel } from 'ai';
import { z } from 'zod';

import { fromAiSdkAgent } from '../../src/adapters/ai-sdk/index.ts';
import type { CreateAgents } from '../serve.ts';
import { EMAIL_SCHEMA } from '../world.ts';
import { scriptedModel } from './scripted-model.ts';

const model = scriptedModel as unknown as LanguageModel;

export const createAgents: CreateAgents = (world) => {
  const payment = { description: 'Pays.', inputSchema: z.object({ amount: z.number() }) };
  // Without `execute`: a person gives its output.
  const askEmail = tool({
    description: 'Your email?',
    inputSchema: z.object({}),
    outputSchema: jsonSchema<{ email: string }>(EMAIL_SCHEMA),
  });
  const pay = tool({ ...payment, needsApproval: true, execute: ({ amount }) => world.pay(amount) });
  const payLarge = tool({
    ...payment,
    needsApproval: async ({ amount }) => amount > 100,
    execute: ({ amount }) => world.pay(amount),
  });
  const clerk = new ToolLoopAgent({
    model,
    tools: { pay: tool({ ...payment, execute: ({ amount }) => world.pay(amount) }) },
  });
  const delegate = tool({
    ...payment,
    needsApproval: true,
    async execute({ amount }, { abortSignal }) {
      const result = await clerk.stream({ prompt: `pay ${amount}`, ...(abortSignal && { abortSignal }) });
      return result.text;
    },
  });
  const tools = { pay, askEmail };
  return {
    agent: fromAiSdkAgent(new ToolLoopAgent({ model, tools })),
    streamText: fromAiSdkAgent(
      (messages, options) => streamText({ model, tools, messages, stopWhen: stepCountIs(9), ...options }),
      { tools },
    ),
    approvalFunction: fromAiSdkAgent(new ToolLoopAgent({ model, tools: { pay: payLarge, askEmail } })),
    delegation: fromAiSdkAgent(new ToolLoopAgent({ model, tools: { pay: delegate, askEmail } })),
  };
};
