import { generateText, tool, zodSchema } from 'ai';
import { z } from 'zod';
import {
  createWork,
  DESCRIPTION,
  earlierTurns,
  FINAL_TEXT,
  INPUT,
  PROMPT,
  TOKENS,
  TOOL,
} from '../scenario.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

const usage = {
  inputTokens: { total: TOKENS.input, noCache: TOKENS.input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: TOKENS.output, text: TOKENS.output, reasoning: undefined },
};

/** Written by hand: `MockLanguageModelV4` keeps every request, which would cost memory. */
const model = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'mock',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    if (prompt.at(-1).role === 'tool') {
      const finishReason = { unified: 'stop', raw: undefined };
      return { content: [{ type: 'text', text: FINAL_TEXT }], finishReason, usage, warnings: [] };
    }
    const call = { type: 'tool-call', toolCallId: 'call-now', toolName: TOOL, input: JSON.stringify(INPUT) };
    return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
  },
  doStream() {
    throw new Error('The bench does not stream.');
  },
};

/** The tool needs an approval; its body runs once. */
export function aiSdkApproval(turns) {
  const work = createWork();
  const tools = {
    [TOOL]: tool({
      description: DESCRIPTION,
      // Made once: a bare zod schema is turned into a JSON Schema again in every call.
      inputSchema: zodSchema(z.object({ toAccountId: z.string(), amount: z.number().int() })),
      needsApproval: true,
      execute: () => work.run(),
    }),
  };
  const history = earlierTurns(turns).flatMap(toMessages);
  return {
    work,
    async cycle() {
      const messages = [...history, { role: 'user', content: PROMPT }];
      const asked = await generateText({ model, tools, messages });
      const requests = asked.content.filter(({ type }) => type === 'tool-approval-request');
      if (requests.length === 0) throw new Error('AI SDK did not ask.');
      const content = requests.map(({ approvalId }) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: true,
      }));
      const answered = await generateText({
        model,
        tools,
        messages: [...messages, ...asked.response.messages, { role: 'tool', content }],
      });
      return answered.text;
    },
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
