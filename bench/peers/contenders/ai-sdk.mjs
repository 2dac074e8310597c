import { generateText, tool, zodSchema } from 'ai';
import { z } from 'zod';
import { aiSdkModel, createWork, DESCRIPTION, earlierTurns, TOOL } from '../scenario.mjs';
import { openMessages } from './message-table.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

export function aiSdkTools(work) {
  return {
    [TOOL]: tool({
      description: DESCRIPTION,
      // Made once: a bare zod schema is turned into a JSON Schema again in every call.
      inputSchema: zodSchema(z.object({ toAccountId: z.string(), amount: z.number().int() })),
      needsApproval: true,
      execute: (input) => work.run(input),
    }),
  };
}

/**
 * AI SDK has no store: its caller reads the messages and writes the new ones, in one transaction for the interrupt and
 * one for the answer. This is the minimum: a second approval would run the tool again.
 */
export function aiSdkSqlite({ file, synchronous }) {
  const work = createWork();
  const model = aiSdkModel(work);
  const messages = openMessages(file, synchronous);
  const tools = aiSdkTools(work);
  return {
    work,
    seed: (thread, turns) => messages.append(thread, 0, earlierTurns(turns).flatMap(toMessages)),
    async ask(thread, prompt) {
      const history = messages.read(thread);
      const message = { role: 'user', content: [{ type: 'text', text: prompt }] };
      const asked = await generateText({ model, tools, messages: [...history, message] });
      messages.append(thread, history.length, [message, ...asked.responseMessages]);
      return asked.content
        .filter(({ type }) => type === 'tool-approval-request')
        .map(({ approvalId }) => approvalId);
    },
    async answer(thread, approvalIds) {
      const history = messages.read(thread);
      const content = approvalIds.map((approvalId) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: true,
      }));
      const yes = { role: 'tool', content };
      const answered = await generateText({ model, tools, messages: [...history, yes] });
      // Not `response.messages`, which lack the result of the tool.
      messages.append(thread, history.length, [yes, ...answered.responseMessages]);
      return answered.text;
    },
    connect: messages.connect,
  };
}

function toMessages({ prompt, callId, input, output, reply }) {
  const call = { type: 'tool-call', toolCallId: callId, toolName: TOOL, input };
  const result = {
    type: 'tool-result',
    toolCallId: callId,
    toolName: TOOL,
    output: { type: 'json', value: output },
  };
  return [
    { role: 'user', content: prompt },
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [result] },
    { role: 'assistant', content: reply },
  ];
}
