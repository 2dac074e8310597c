import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import Database from 'libsql';
import { z } from 'zod';
import { aiSdkModel, createWork, DESCRIPTION, earlierTurns, TOOL } from '../scenario.mjs';

// Neither usage statistics nor lists of models are to be fetched or sent while something is measured.
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';

const RESOURCE = 'person-1';
/** An agent with a memory that gives the model the whole thread, as all others do, and a tool that needs an approval. */
export async function mastraLibsql({ file, synchronous }) {
  // It sets WAL and NORMAL by itself, and nothing else can be set.
  if (synchronous !== 'NORMAL') throw new Error(`Mastra does not do synchronous = ${synchronous}.`);
  const work = createWork();
  const storage = new LibSQLStore({ id: 'bench', url: `file:${file}` });
  await storage.init();
  const memory = new Memory({ storage, options: { lastMessages: 1_000_000 } });
  // One instance interrupts and another answers, so that the answer depends on the storage alone.
  const asking = createMastra(work, { storage, memory }).getAgent('bench');
  const answering = createMastra(work, { storage, memory }).getAgent('bench');
  return {
    work,
    async seed(thread, turns) {
      await memory.createThread({ threadId: thread, resourceId: RESOURCE });
      const start = Date.now() - turns * 2;
      const messages = earlierTurns(turns).flatMap((turn, index) =>
        toMessages({ turn, index, thread, start }),
      );
      await memory.saveMessages({ messages });
    },
    async ask(thread, prompt) {
      const asked = await asking.generate(prompt, { memory: { thread, resource: RESOURCE } });
      if (asked.finishReason !== 'suspended') throw new Error('Mastra did not ask.');
      return { runId: asked.runId, toolCallId: asked.suspendPayload.toolCallId };
    },
    async answer(thread, interrupt) {
      const memoryOf = { thread, resource: RESOURCE };
      const answered = await answering.approveToolCallGenerate({ ...interrupt, memory: memoryOf });
      return answered.text;
    },
    connect: () => new Database(file),
  };
}

/** A Mastra with one agent, `bench`, and a tool that needs an approval. */
export function createMastra(work, { storage, memory }) {
  const transferMoney = createTool({
    id: TOOL,
    description: DESCRIPTION,
    inputSchema: z.object({ toAccountId: z.string(), amount: z.number().int() }),
    requireApproval: true,
    execute: async (input) => work.run(input),
  });
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions: '',
    model: aiSdkModel(work),
    tools: { [TOOL]: transferMoney },
    memory,
  });
  return new Mastra({ agents: { bench: agent }, storage, logger: false });
}

/** Mastra keeps a call, its result and the reply in one message. */
function toMessages({ turn, index, thread, start }) {
  const { prompt, callId, input, output, reply } = turn;
  const message = (role, offset, parts) => ({
    id: `${thread}-${index}-${role}`,
    role,
    threadId: thread,
    resourceId: RESOURCE,
    createdAt: new Date(start + index * 2 + offset),
    content: { format: 2, parts },
  });
  const toolInvocation = { state: 'result', toolCallId: callId, toolName: TOOL, args: input, result: output };
  return [
    message('user', 0, [{ type: 'text', text: prompt }]),
    message('assistant', 1, [
      { type: 'tool-invocation', toolInvocation },
      { type: 'text', text: reply },
    ]),
  ];
}
