import { genkit, z } from 'genkit/beta';
import { logger } from 'genkit/logging';
import { disableGenkitOTelInitialization } from 'genkit/tracing';
import {
  callIdFor,
  createWork,
  DESCRIPTION,
  earlierTurns,
  FINAL_TEXT,
  inputFor,
  TOKENS,
  TOOL,
} from '../scenario.mjs';
import { openMessages } from './message-table.mjs';

// Spans go nowhere then, which is the cheapest that Genkit can be.
disableGenkitOTelInitialization();
logger.setLogLevel('error');

const usage = { inputTokens: TOKENS.input, outputTokens: TOKENS.output };

/** The caller keeps the messages, as with AI SDK. The body itself interrupts and runs again with the answer: Genkit's own way to ask. */
export function genkitSqlite({ file, synchronous }) {
  const work = createWork();
  const messages = openMessages(file, synchronous);
  const ai = genkit({});
  const model = ai.defineModel(
    { name: 'bench/mock', supports: { tools: true, multiturn: true } },
    (request) => {
      work.saw(request.messages.length);
      return sayNext(request.messages.at(-1));
    },
  );
  const transferMoney = ai.defineTool(
    {
      name: TOOL,
      description: DESCRIPTION,
      inputSchema: z.object({ toAccountId: z.string(), amount: z.number().int() }),
      outputSchema: z.object({ status: z.string(), transferId: z.string() }),
    },
    async (input, { interrupt, resumed }) => {
      if (resumed?.approved !== true) return interrupt({ message: 'Please confirm.' });
      return work.run(input);
    },
  );
  const tools = [transferMoney];
  return {
    work,
    seed: (thread, turns) => messages.append(thread, 0, earlierTurns(turns).flatMap(toMessages)),
    async ask(thread, prompt) {
      const history = messages.read(thread);
      const asked = await ai.generate({ model, tools, messages: history, prompt });
      if (asked.finishReason !== 'interrupted') throw new Error('Genkit did not ask.');
      messages.append(thread, history.length, asked.messages.slice(history.length));
      return asked.interrupts;
    },
    async answer(thread, interrupts) {
      const history = messages.read(thread);
      const restart = interrupts.map((part) => transferMoney.restart(part, { approved: true }));
      const answered = await ai.generate({ model, tools, messages: history, resume: { restart } });
      messages.append(thread, history.length, answered.messages.slice(history.length));
      return answered.text;
    },
    connect: messages.connect,
  };
}

async function sayNext(last) {
  if (last.role === 'tool') {
    return { message: { role: 'model', content: [{ text: FINAL_TEXT }] }, finishReason: 'stop', usage };
  }
  const { text } = last.content.at(-1);
  const toolRequest = { name: TOOL, ref: callIdFor(text), input: inputFor(text) };
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
