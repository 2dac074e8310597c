import { z } from 'zod';
import { approve } from '../../../dist/content/questions/index.js';
import { defineAgent, defineTool } from '../../../dist/engine/index.js';
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

const input = z.object({ toAccountId: z.string(), amount: z.number().int() });
const usage = { inputTokens: TOKENS.input, outputTokens: TOKENS.output };

/** A call, or the final text once the call has its result: two parts each, nothing split into words. */
const model = {
  provider: 'bench',
  model: 'mock',
  async *stream({ messages }) {
    if (messages.at(-1).role === 'tool') {
      yield { type: 'text', delta: FINAL_TEXT };
      yield { type: 'finish', reason: 'stop', usage };
      return;
    }
    yield { type: 'tool-call', callId: 'call-now', name: TOOL, input: JSON.stringify(INPUT) };
    yield { type: 'finish', reason: 'tool-calls', usage };
  },
};

/** The tool needs an approval; its body runs once. */
export function holdpointApproval(turns) {
  const work = createWork();
  const transferMoney = defineTool({
    name: TOOL,
    description: DESCRIPTION,
    input,
    approval: true,
    run: () => work.run(),
  });
  return contender({ turns, work, tool: transferMoney, answer: (part) => approve(part) });
}

/** The body itself interrupts and is run again with the answer. */
export function holdpointRestart(turns) {
  const work = createWork();
  const transferMoney = defineTool({
    name: TOOL,
    description: DESCRIPTION,
    input,
    resume: z.object({ approved: z.boolean() }),
    run(_input, ctx) {
      if (ctx.resumed?.approved !== true) return ctx.interrupt({ message: 'Please confirm.' });
      return work.run();
    },
  });
  return contender({
    turns,
    work,
    tool: transferMoney,
    answer: (part) => transferMoney.restart(part, { resumed: { approved: true } }),
  });
}

function contender({ turns, work, tool, answer }) {
  const agent = defineAgent({ id: 'bench', model, tools: [tool] });
  const history = earlierTurns(turns).flatMap(toMessages);
  return {
    work,
    async cycle() {
      const asked = await agent.generate({ messages: history, prompt: PROMPT });
      if (asked.finishReason !== 'interrupted') throw new Error('Holdpoint did not ask.');
      const answered = await agent.generate({
        messages: asked.messages,
        resume: asked.interrupts.map(answer),
      });
      return answered.text;
    },
  };
}

function toMessages({ prompt, callId, input, output, reply }, index) {
  const call = { id: callId, type: 'function', function: { name: TOOL, arguments: JSON.stringify(input) } };
  return [
    { id: `user-${index}`, role: 'user', content: prompt },
    { id: `call-${index}`, role: 'assistant', toolCalls: [call] },
    { id: `result-${callId}`, role: 'tool', toolCallId: callId, content: JSON.stringify(output) },
    { id: `reply-${index}`, role: 'assistant', content: reply },
  ];
}
