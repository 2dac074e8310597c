/** Agents and workflows of Mastra as its documentation shows them, on a scripted model. */
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

type ToCall = (name: string, args: Record<string, unknown>) => { name: string; args: object };

/** What the model says next, by the newest user message and the results. `toCall`: the tool that stands for one of the script. */
function partsFor(prompt: readonly PromptMessage[], toCall: ToCall): object[] {
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
  const calls = turn.calls.map((call, index) => {
    const { name, args } = toCall(call.name, call.args);
    return {
      type: 'tool-call',
      toolCallId: `call-${prompt.length}-${index}-${String(call.args['amount'] ?? call.name)}`,
      toolName: name,
      input: JSON.stringify(args),
    };
  });
  return [start, ...calls, finish('tool-calls')];
}

const createModel = (toCall: ToCall = (name, args) => ({ name, args })) =>
  ({
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The model only streams.')),
    doStream: async ({ prompt }: { prompt: PromptMessage[] }) => {
      const parts = partsFor(prompt, toCall);
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  }) as never;

const Email = z.object({ email: z.email() });
const Approval = z.object({
  approved: z.boolean(),
  reason: z.string().optional(),
  editedArgs: z.object({ amount: z.number() }).optional(),
});

const Amount = z.object({ amount: z.number() });

const askEmail = createTool({
  id: 'askEmail',
  description: 'Your email?',
  inputSchema: z.object({}),
  resumeSchema: Email,
  suspendSchema: z.object({ message: z.string() }),
  execute: async (_input, context) => {
    const { resumeData, suspend } = context.agent ?? {};
    if (resumeData === undefined) return suspend?.({ message: 'Your email?' });
    return `signed up ${resumeData.email}`;
  },
});

/** A tool that Mastra asks approval for. */
const createApproved = (world: World, requireApproval: boolean | (() => boolean)) =>
  createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: Amount,
    requireApproval,
    execute: async ({ amount }) => world.pay(amount),
  });

/** A tool that suspends until it is approved. */
const createSuspending = (world: World) =>
  createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: Amount,
    resumeSchema: Approval,
    suspendSchema: z.object({ reason: z.string() }),
    execute: async ({ amount }, context) => {
      const { resumeData, suspend } = context.agent ?? {};
      if (resumeData === undefined) return suspend?.({ reason: `Human approval required to pay ${amount}.` });
      const { approved, reason, editedArgs } = resumeData;
      if (!approved) return `rejected: ${reason}`;
      return world.pay(editedArgs?.amount ?? amount);
    },
  });

const Input = z.object({ text: z.string(), amounts: z.array(z.number()), signUp: z.boolean() });
const Pay = z.object({ amount: z.number().optional(), signUp: z.boolean() });

/** A step as in Mastra's guide: it suspends with a reason, pays when approved and bails when rejected. */
const createPayStep = (world: World, id = 'pay') =>
  createStep({
    id,
    inputSchema: Pay,
    outputSchema: z.string(),
    resumeSchema: Approval,
    suspendSchema: z.object({ reason: z.string() }),
    execute: async ({ inputData: { amount }, resumeData, suspend, bail }) => {
      if (amount === undefined) return '';
      if (resumeData === undefined) return suspend({ reason: `Human approval required to pay ${amount}.` });
      if (!resumeData.approved) return bail(`rejected: ${resumeData.reason}`);
      return world.pay(resumeData.editedArgs?.amount ?? amount);
    },
  });

const emailStep = createStep({
  id: 'askEmail',
  inputSchema: Pay,
  outputSchema: z.string(),
  resumeSchema: Email,
  execute: async ({ inputData: { signUp }, resumeData, suspend }) => {
    if (!signUp) return '';
    return resumeData === undefined ? suspend({}) : `signed up ${resumeData.email}`;
  },
});

/** What a workflow says in the end. */
const say = (text: string, results: readonly string[]) =>
  results.filter((result) => result !== '').join('; ') || `You said ${text}.`;

/** `pay 1 and 2` has two steps that wait at once; a step without an amount passes. */
function createParallel(world: World) {
  const payStep = (index: number) =>
    createStep({
      id: `pay${index}`,
      inputSchema: Input,
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
  const ask = createStep({
    id: 'askEmail',
    inputSchema: Input,
    outputSchema: z.string(),
    resumeSchema: Email,
    execute: async ({ inputData, resumeData, suspend }) => {
      if (!inputData.signUp) return '';
      return resumeData === undefined ? suspend({}) : `signed up ${resumeData.email}`;
    },
  });
  return createWorkflow({ id: 'parallel', inputSchema: Input, outputSchema: z.string() })
    .parallel([payStep(0), payStep(1), ask])
    .map(async ({ inputData, getInitData }) =>
      say(getInitData<z.infer<typeof Input>>().text, Object.values(inputData)),
    )
    .commit();
}

/** The first amount of an input. */
const toPay = ({ amounts, signUp }: z.infer<typeof Input>) => ({ amount: amounts[0], signUp });

/** One step after the other. */
function createSequence(world: World, id = 'sequence') {
  return createWorkflow({ id, inputSchema: Input, outputSchema: z.string() })
    .map(async ({ inputData }) => toPay(inputData))
    .then(emailStep)
    .map(async ({ getInitData }) => toPay(getInitData<z.infer<typeof Input>>()))
    .then(createPayStep(world))
    .map(async ({ getInitData, getStepResult }) =>
      say(getInitData<z.infer<typeof Input>>().text, [
        String(getStepResult('askEmail') ?? ''),
        String(getStepResult('pay') ?? ''),
      ]),
    )
    .commit();
}

/** A workflow that is a step of another one. */
function createNested(world: World) {
  const inner = createWorkflow({ id: 'payments', inputSchema: Pay, outputSchema: z.string() })
    .then(createPayStep(world))
    .commit();
  return createWorkflow({ id: 'nested', inputSchema: Input, outputSchema: z.string() })
    .map(async ({ inputData }) => toPay(inputData))
    .then(inner as never)
    .map(async ({ inputData, getInitData }) =>
      say(getInitData<z.infer<typeof Input>>().text, [inputData as string]),
    )
    .commit();
}

/** A step for each amount. */
function createForeach(world: World) {
  return createWorkflow({ id: 'foreach', inputSchema: Input, outputSchema: z.string() })
    .map(async ({ inputData: { amounts } }) => amounts.map((amount) => ({ amount, signUp: false })))
    .foreach(createPayStep(world))
    .map(async ({ inputData, getInitData }) => say(getInitData<z.infer<typeof Input>>().text, inputData))
    .commit();
}

/** A step that is repeated until every amount is paid. */
function createUntil(world: World) {
  const Left = z.object({ left: z.array(z.number()), results: z.array(z.string()) });
  const payNext = createStep({
    id: 'pay',
    inputSchema: Left,
    outputSchema: Left,
    resumeSchema: Approval,
    suspendSchema: z.object({ reason: z.string() }),
    execute: async ({ inputData: { left, results }, resumeData, suspend }) => {
      const [amount, ...rest] = left;
      if (amount === undefined) return { left, results };
      if (resumeData === undefined) {
        await suspend({ reason: `Human approval required to pay ${amount}.` });
        return { left, results };
      }
      const { approved, reason, editedArgs } = resumeData;
      const result = approved ? await world.pay(editedArgs?.amount ?? amount) : `rejected: ${reason}`;
      return { left: rest, results: [...results, result] };
    },
  });
  return createWorkflow({ id: 'until', inputSchema: Input, outputSchema: z.string() })
    .map(async ({ inputData: { amounts } }) => ({ left: amounts, results: [] as string[] }))
    .dountil(payNext, async ({ inputData: { left } }) => left.length === 0)
    .map(async ({ inputData: { results }, getInitData }) =>
      say(getInitData<z.infer<typeof Input>>().text, results),
    )
    .commit();
}

export const createAgents: CreateAgents = async (world, folder) => {
  const storage = new LibSQLStore({ id: 'scenarios', url: `file:${folder}/mastra.db` });
  await storage.init();
  const memory = new Memory({ storage, options: { lastMessages: 100 } });
  const createAgent = (id: string, settings: object) =>
    new Agent({ id, name: id, instructions: '', description: id, model: createModel(), memory, ...settings });
  const asker = createAgent('asker', { tools: { pay: createApproved(world, true) } });
  const asTool = createSequence(world, 'asTool');
  const toWorkflow: ToCall = (_name, args) => {
    const amounts = 'amount' in args ? [args['amount']] : [];
    return {
      name: 'workflow-asTool',
      args: { inputData: { text: 'the call', amounts, signUp: amounts.length === 0 } },
    };
  };
  const toAgent: ToCall = (name, args) =>
    name === 'pay'
      ? { name: 'agent-asker', args: { prompt: `pay ${String(args['amount'])}` } }
      : { name, args };
  const mastra = new Mastra({
    agents: {
      asker,
      agent: createAgent('agent', { tools: { pay: createApproved(world, true), askEmail } }),
      function: createAgent('function', { tools: { pay: createApproved(world, () => true), askEmail } }),
      suspending: createAgent('suspending', { tools: { pay: createSuspending(world), askEmail } }),
      caller: createAgent('caller', { model: createModel(toWorkflow), workflows: { asTool } }),
      supervisor: createAgent('supervisor', {
        model: createModel(toAgent),
        agents: { asker },
        tools: { askEmail },
      }),
    },
    workflows: {
      asTool,
      parallel: createParallel(world),
      sequence: createSequence(world),
      nested: createNested(world),
      foreach: createForeach(world),
      until: createUntil(world),
    },
    storage,
    logger: false,
  });
  const toInput = (text: string) => ({
    text,
    signUp: text.startsWith('sign up'),
    amounts: [...text.matchAll(/\d+/g)].map(([amount]) => Number(amount)),
  });
  const agents = ['agent', 'function', 'suspending', 'caller', 'supervisor'] as const;
  const workflows = ['parallel', 'sequence', 'nested', 'foreach', 'until'] as const;
  return Object.fromEntries([
    ...agents.map((name) => [name, fromMastra(mastra.getAgent(name))] as const),
    ...workflows.map((name) => [name, fromMastra(mastra.getWorkflow(name), { toInput })] as const),
  ]);
};
