import { genkit, z } from 'genkit/beta';
import { logger } from 'genkit/logging';
import { disableGenkitOTelInitialization } from 'genkit/tracing';
import { callerFiles, nextTurn } from '../world.mjs';

disableGenkitOTelInitialization();
logger.setLogLevel('error');

/** Genkit has no store for `generate`: its caller keeps the messages, in a file here. */
export async function open(folder, world) {
  const files = callerFiles(folder);
  const ai = genkit({});
  const model = ai.defineModel(
    { name: 'scripted', supports: { tools: true, multiturn: true } },
    ({ messages }) =>
      Promise.resolve({ message: { role: 'model', content: [sayNext(messages)] }, finishReason: 'stop' }),
  );
  const pay = ai.defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      outputSchema: z.string(),
    },
    async ({ amount }, { interrupt, resumed }) =>
      resumed?.approved === true ? world.pay(amount) : interrupt({ message: `Pay ${amount}?` }),
  );
  const askEmail = ai.defineInterrupt({
    name: 'askEmail',
    description: 'Your email?',
    inputSchema: z.object({}),
    outputSchema: z.object({ email: z.string() }),
  });
  const generate = async (thread, options) => {
    const { messages, interrupts, text } = await ai.generate({ model, tools: [pay, askEmail], ...options });
    files.write(thread, messages);
    return { waiting: interrupts, text };
  };
  return {
    ask: (thread, prompt) => generate(thread, { prompt }),
    answer(thread, waiting, value) {
      const resume =
        'approved' in value
          ? { restart: waiting.map((part) => pay.restart(part, value)) }
          : { respond: waiting.map((part) => askEmail.respond(part, value)) };
      return generate(thread, { messages: files.read(thread), resume });
    },
  };
}

function sayNext(messages) {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages
    .slice(lastUser + 1)
    .flatMap(({ content }) => content)
    .flatMap(({ toolResponse }) => (toolResponse === undefined ? [] : [JSON.stringify(toolResponse.output)]));
  const { text, name, args } = nextTurn(messages[lastUser].content[0].text, results);
  if (text !== undefined) return { text };
  return { toolRequest: { name, ref: `call-${messages.length}`, input: args } };
}
