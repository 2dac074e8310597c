import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { z } from 'zod';
import { model } from './scripted-v4.mjs';

process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';

/** An agent with a memory, and a tool that needs an approval or suspends itself. */
export async function open(folder, world) {
  const storage = new LibSQLStore({ id: 'probes', url: `file:${folder}/mastra.db` });
  await storage.init();
  const memory = new Memory({ storage, options: { lastMessages: 100 } });
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number() }),
    requireApproval: true,
    execute: async ({ amount }) => world.pay(amount),
  });
  const askEmail = createTool({
    id: 'askEmail',
    description: 'Your email?',
    inputSchema: z.object({}),
    resumeSchema: z.object({ email: z.string() }),
    suspendSchema: z.object({ message: z.string() }),
    execute: async (_input, { agent }) =>
      agent?.resumeData === undefined
        ? agent?.suspend({ message: 'Your email?' })
        : `signed up ${agent.resumeData.email}`,
  });
  const payer = new Agent({
    id: 'payer',
    name: 'payer',
    instructions: '',
    model,
    memory,
    tools: { pay, askEmail },
  });
  const agent = new Mastra({ agents: { payer }, storage, logger: false }).getAgent('payer');
  const memoryOf = (thread) => ({ memory: { thread, resource: 'person' } });
  const shown = ({ finishReason, runId, suspendPayload, text }) => ({
    waiting: finishReason === 'suspended' ? [{ runId, toolCallId: suspendPayload.toolCallId }] : [],
    text,
  });
  return {
    ask: async (thread, prompt) => shown(await agent.generate(prompt, memoryOf(thread))),
    async answer(thread, [place], value) {
      const options = { ...place, ...memoryOf(thread) };
      return shown(
        'approved' in value
          ? await agent.approveToolCallGenerate(options)
          : await agent.resumeGenerate(value, options),
      );
    },
  };
}
