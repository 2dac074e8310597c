/** An agent of Mastra with an approval and a tool that suspends, and a workflow whose steps suspend, on a scripted model. */
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { z } from 'zod';

import { fromMastra } from '../../src/adapters/mastra/index.ts';
import type { CreateAgents } from '../serve.ts';
import type { World } from '../world.ts';
import { nextTurn } from '../world.ts';

process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';

interface PromptMessage {
  readonly role: string;
  readonly content: readonly { readonly text?: string; readonly output?: unknown }[];
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** What the model says next, by the newest user message and the results. */
function partsFor(prompt: readonly PromptMessage[]): object[] {
  const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
  const resultsIn = (messages: typeof prompt) =>
    messages
      .flatMap(({ role, content }) => (role === 'tool' ? content : []))
      .map(({ output }) => JSON.stringify(output));
  const turn = nextTurn(prompt[lastUser]?.content, resultsIn(prompt.slice(lastUser + 1)), resultsIn(prompt));
  const finish = (unified: string) => ({ type: 'finish', usage, finishReason: { unified, raw: undefined } });
  const start = { type: 'stream-start', warnings: [] };
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
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('The model only streams.')),
  doStream: async ({ prompt }: { prompt: PromptMessage[] }) => {
    const parts = partsFor(prompt);
    const stream = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return { stream };
  },
};

const Email = z.object({ email: z.email() });
const Approval = z.object({
  approved: z.boolean(),
  reason: z.string().optional(),
  editedArgs: z.object({ amount: z.number() }).optional(),
});

function createPayer(world: World, memory: Memory) {
  return new Agent({
    id: 'payer',
    name: 'payer',
    instructions: '',
    model: model as never,
    memory,
    tools: {
      pay: createTool({
        id: 'pay',
        description: 'Pays.',
        inputSchema: z.object({ amount: z.number() }),
        requireApproval: true,
        execute: async ({ amount }) => world.pay(amount),
      }),
      askEmail: createTool({
        id: 'askEmail',
        description: 'Your email?',
        inputSchema: z.object({}),
        resumeSchema: Email,
        suspendSchema: z.object({ message: z.string() }),
        execute: async (_input, context) => {
          const { resumeData, suspend } = context.agent ?? {};
          if (resumeData === undefined) return suspend?.({ message: 'Your email?' });
          return `signed up ${(resumeData as { email: string }).email}`;
        },
      }),
    },
  });
}

/** `pay 1 and 2` has two steps that wait at once; a step without an amount passes. */
function createPayments(world: World) {
  const Amounts = z.object({ amounts: z.array(z.number()), signUp: z.boolean() });
  const payStep = (index: number) =>
    createStep({
      id: `pay${index}`,
      inputSchema: Amounts,
      outputSchema: z.string(),
      resumeSchema: Approval,
      suspendSchema: z.object({ message: z.string(), reason: z.string() }),
      execute: async ({ inputData, resumeData, suspend }) => {
        const amount = inputData.amounts[index];
        if (amount === undefined) return '';
        if (resumeData === undefined) return suspend({ message: `Pay ${amount}?`, reason: 'confirmation' });
        if (!resumeData.approved) return `rejected: ${resumeData.reason}`;
        return world.pay(resumeData.editedArgs?.amount ?? amount);
      },
    });
  const askEmail = createStep({
    id: 'askEmail',
    inputSchema: Amounts,
    outputSchema: z.string(),
    resumeSchema: Email,
    execute: async ({ inputData, resumeData, suspend }) => {
      if (!inputData.signUp) return '';
      return resumeData === undefined ? suspend({}) : `signed up ${resumeData.email}`;
    },
  });
  return createWorkflow({ id: 'payments', inputSchema: Amounts, outputSchema: z.any() })
    .parallel([payStep(0), payStep(1), askEmail])
    .commit();
}

export const createAgents: CreateAgents = async (world, folder) => {
  const storage = new LibSQLStore({ id: 'scenarios', url: `file:${folder}/mastra.db` });
  await storage.init();
  const memory = new Memory({ storage, options: { lastMessages: 100 } });
  const mastra = new Mastra({
    agents: { payer: createPayer(world, memory) },
    workflows: { payments: createPayments(world) },
    storage,
    logger: false,
  });
  const toInput = (text: string) => ({
    signUp: text.startsWith('sign up'),
    amounts: [...text.matchAll(/\d+/g)].map(([amount]) => Number(amount)),
  });
  return {
    agent: fromMastra(mastra.getAgent('payer')),
    workflow: fromMastra(mastra.getWorkflow('payments'), { toInput }),
  };
};
