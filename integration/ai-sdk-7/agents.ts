/** Agents of the AI SDK, and an application that calls `streamText` itself, as the SDK's pages show them. */
import { isStepCount, jsonSchema, streamText, tool, ToolLoopAgent } from 'ai';
import type { LanguageModel } from 'ai';
import { z } from 'zod';

import { fromAiSdkAgent } from '../../src/adapters/ai-sdk/index.ts';
import { scriptedModel } from '../ai-sdk/scripted-model.ts';
import type { CreateAgents } from '../serve.ts';
import { EMAIL_SCHEMA } from '../world.ts';

const model = scriptedModel as unknown as LanguageModel;

export const createAgents: CreateAgents = (world) => {
  const payment = { description: 'Pays.', inputSchema: z.object({ amount: z.number() }) };
  const pay = tool({ ...payment, execute: ({ amount }) => world.pay(amount) });
  // Without `execute`: a person gives its output.
  const askEmail = tool({
    description: 'Your email?',
    inputSchema: z.object({}),
    outputSchema: jsonSchema<{ email: string }>(EMAIL_SCHEMA),
  });
  const tools = { pay, askEmail };
  const clerk = new ToolLoopAgent({ model, tools: { pay } });
  const delegate = tool({
    ...payment,
    async execute({ amount }, { abortSignal }) {
      const result = await clerk.stream({ prompt: `pay ${amount}`, ...(abortSignal && { abortSignal }) });
      return result.text;
    },
  });
  return {
    agent: fromAiSdkAgent(new ToolLoopAgent({ model, tools, toolApproval: { pay: 'user-approval' } })),
    streamText: fromAiSdkAgent(
      (messages, options) =>
        streamText({
          model,
          tools,
          messages,
          stopWhen: isStepCount(9),
          toolApproval: { pay: async ({ amount }) => (amount > 100 ? 'user-approval' : undefined) },
          ...options,
        }),
      { tools },
    ),
    approvalFunction: fromAiSdkAgent(
      new ToolLoopAgent({
        model,
        tools,
        toolApproval: ({ toolCall }) =>
          toolCall.toolName === 'pay'
            ? { type: 'user-approval', reason: 'Payments need a second person.' }
            : undefined,
      }),
    ),
    signed: fromAiSdkAgent(
      new ToolLoopAgent({
        model,
        tools,
        toolApproval: { pay: 'user-approval' },
        experimental_toolApprovalSecret: 'a secret of at least thirty-two bytes',
      }),
    ),
    delegation: fromAiSdkAgent(
      new ToolLoopAgent({
        model,
        tools: { pay: delegate, askEmail },
        toolApproval: { pay: 'user-approval' },
      }),
    ),
    needsApproval: fromAiSdkAgent(
      new ToolLoopAgent({
        model,
        tools: { pay: tool({ ...pay, needsApproval: true }), askEmail },
      }),
    ),
  };
};
