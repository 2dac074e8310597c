/** An agent of the AI SDK, and an application that calls `streamText` itself, on one scripted model. */
import { jsonSchema, stepCountIs, streamText, tool, ToolLoopAgent } from 'ai';
import type { LanguageModel } from 'ai';
import { z } from 'zod';

import { fromAiSdkAgent } from '../../src/adapters/ai-sdk/index.ts';
import type { CreateAgents } from '../serve.ts';
import { EMAIL_SCHEMA, nextTurn } from '../world.ts';

type Model = Exclude<LanguageModel, string>;
type Prompt = Parameters<Model['doStream']>[0]['prompt'];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What the model says next, by the newest user message and the results. */
function partsFor(prompt: Prompt): object[] {
  const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
  const resultsIn = (messages: typeof prompt) =>
    messages
      .flatMap(({ role, content }) => (role === 'tool' ? (content as readonly object[]) : []))
      .map((result) => JSON.stringify((result as { output: unknown }).output));
  const turn = nextTurn(prompt[lastUser]?.content, resultsIn(prompt.slice(lastUser + 1)), resultsIn(prompt));
  const start = { type: 'stream-start', warnings: [] };
  const finish = (unified: string) => ({
    type: 'finish',
    usage: USAGE,
    finishReason: { unified, raw: unified },
  });
  if ('text' in turn) {
    const id = '1';
    const said = [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: turn.text },
      { type: 'text-end', id },
    ];
    return [start, ...said, finish('stop')];
  }
  const calls = turn.calls.map(({ name, args }, index) => ({
    type: 'tool-call',
    toolCallId: `call-${prompt.length}-${index}-${String(args['amount'] ?? name)}`,
    toolName: name,
    input: JSON.stringify(args),
  }));
  return [start, ...calls, finish('tool-calls')];
}

const model = {
  specificationVersion: 'v3',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The model only streams.')),
  doStream: ({ prompt }: { prompt: Prompt }) => {
    const parts = partsFor(prompt);
    const stream = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return Promise.resolve({ stream });
  },
} as unknown as LanguageModel;

export const createAgents: CreateAgents = (world) => {
  const tools = {
    pay: tool({
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: true,
      execute: ({ amount }) => world.pay(amount),
    }),
    // Without `execute`: a person gives its output.
    askEmail: tool({
      description: 'Your email?',
      inputSchema: z.object({}),
      outputSchema: jsonSchema<{ email: string }>(EMAIL_SCHEMA),
    }),
  };
  return {
    agent: fromAiSdkAgent(new ToolLoopAgent({ model, tools })),
    streamText: fromAiSdkAgent(
      (messages, options) => streamText({ model, tools, messages, stopWhen: stepCountIs(9), ...options }),
      { tools },
    ),
  };
};
