/** A Genkit generation with a tool that interrupts itself, and a tool of `defineInterrupt`, on a scripted model. */
import { genkit, z } from 'genkit/beta';
import type { MessageData, Part } from 'genkit/beta';
import { logger } from 'genkit/logging';
import { disableGenkitOTelInitialization } from 'genkit/tracing';

import { fromGenkit } from '../../src/adapters/genkit/index.ts';
import type { CreateAgents } from '../serve.ts';
import { EMAIL_SCHEMA, nextTurn } from '../world.ts';

disableGenkitOTelInitialization();
logger.setLogLevel('error');

function contentFor(messages: readonly MessageData[]): Part[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const resultsIn = (from: number) =>
    messages
      .slice(from)
      .flatMap(({ content }) => content)
      .flatMap(({ toolResponse }) =>
        toolResponse === undefined ? [] : [JSON.stringify(toolResponse.output)],
      );
  const turn = nextTurn(messages[lastUser]?.content, resultsIn(lastUser + 1), resultsIn(0));
  if ('text' in turn) return [{ text: turn.text }];
  return turn.calls.map(({ name, args }, index) => ({
    toolRequest: {
      name,
      ref: `call-${messages.length}-${index}-${String(args['amount'] ?? name)}`,
      input: args,
    },
  }));
}

export const createAgents: CreateAgents = (world) => {
  const ai = genkit({});
  const model = ai.defineModel(
    { name: 'scripted', supports: { tools: true, multiturn: true } },
    async ({ messages }, sendChunk) => {
      const content = contentFor(messages);
      sendChunk?.({ content });
      return { message: { role: 'model', content }, finishReason: 'stop' };
    },
  );
  const pay = ai.defineTool(
    {
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number() }),
      outputSchema: z.string(),
    },
    async ({ amount }, { interrupt, resumed }) => {
      const answer = resumed as { approved: boolean; reason?: string } | undefined;
      if (answer === undefined) return interrupt({ message: `Pay ${amount}?` });
      return answer.approved ? world.pay(amount) : `rejected: ${answer.reason}`;
    },
  );
  const askEmail = ai.defineInterrupt({
    name: 'askEmail',
    description: 'Your email?',
    inputSchema: z.object({}),
    outputSchema: z.object({ email: z.string() }),
  });
  return {
    agent: fromGenkit((turn) => ai.generateStream({ model, tools: [pay, askEmail], ...turn }), {
      respond: { askEmail: EMAIL_SCHEMA },
    }),
  };
};
