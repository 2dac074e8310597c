import { genkit, z } from 'genkit/beta';
import { logger } from 'genkit/logging';
import { disableGenkitOTelInitialization } from 'genkit/tracing';
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

// Spans go nowhere then, which is the cheapest that Genkit can be; `GENKIT_TRACING=1` leaves it as it comes.
if (process.env['GENKIT_TRACING'] !== '1') disableGenkitOTelInitialization();
logger.setLogLevel('error');

const usage = { inputTokens: TOKENS.input, outputTokens: TOKENS.output };

/** The body itself interrupts and is run again with the answer: Genkit's own way to ask. */
export function genkitRestart(turns) {
  const work = createWork();
  const ai = genkit({});
  const model = ai.defineModel({ name: 'bench/mock', supports: { tools: true, multiturn: true } }, answerOf);
  const transferMoney = ai.defineTool(
    {
      name: TOOL,
      description: DESCRIPTION,
      inputSchema: z.object({ toAccountId: z.string(), amount: z.number().int() }),
      outputSchema: z.object({ status: z.string(), transferId: z.string() }),
    },
    async (_input, { interrupt, resumed }) => {
      if (resumed?.approved !== true) return interrupt({ message: 'Please confirm.' });
      return work.run();
    },
  );
  const tools = [transferMoney];
  const history = earlierTurns(turns).flatMap(toMessages);
  return {
    work,
    async cycle() {
      const asked = await ai.generate({ model, tools, messages: history, prompt: PROMPT });
      if (asked.finishReason !== 'interrupted') throw new Error('Genkit did not ask.');
      const restart = asked.interrupts.map((part) => transferMoney.restart(part, { approved: true }));
      const answered = await ai.generate({ model, tools, messages: asked.messages, resume: { restart } });
      return answered.text;
    },
  };
}

async function answerOf({ messages }) {
  if (messages.at(-1).role === 'tool') {
    return { message: { role: 'model', content: [{ text: FINAL_TEXT }] }, finishReason: 'stop', usage };
  }
  const toolRequest = { name: TOOL, ref: 'call-now', input: INPUT };
  return { message: { role: 'model', content: [{ toolRequest }] }, finishReason: 'stop', usage };
}

function toMessages({ prompt, callId, input, output, reply }) {
  return [
    { role: 'user', content: [{ text: prompt }] },
    { role: 'model', content: [{ toolRequest: { name: TOOL, ref: callId, input } }] },
    { role: 'tool', content: [{ toolResponse: { name: TOOL, ref: callId, output } }] },
    { role: 'model', content: [{ text: reply }] },
  ];
}
