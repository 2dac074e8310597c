/**
 * Genkit generations as its documentation shows them, on a scripted model: tools that interrupt themselves, the tool of its page on
 * interrupts, the middleware `toolApproval`, and a tool of `defineInterrupt`.
 */
import { toolApproval } from '@genkit-ai/middleware';
import { genkit, z } from 'genkit/beta';
import type { MessageData, Part } from 'genkit/beta';
import { logger } from 'genkit/logging';
import { disableGenkitOTelInitialization } from 'genkit/tracing';

import { fromGenkit } from '../../src/adapters/genkit/index.ts';
import type { CreateAgents } from '../serve.ts';
import type { World } from '../world.ts';
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

/** Each agent has a Genkit of its own, because each has a tool `pay`. */
function createGenkit() {
  const ai = genkit({});
  const model = ai.defineModel(
    { name: 'scripted', supports: { tools: true, multiturn: true } },
    async ({ messages }, sendChunk) => {
      const content = contentFor(messages);
      sendChunk?.({ content });
      return { message: { role: 'model', content }, finishReason: 'stop' };
    },
  );
  const askEmail = ai.defineInterrupt({
    name: 'askEmail',
    description: 'Your email?',
    inputSchema: z.object({}),
    outputSchema: z.object({ email: z.string() }),
  });
  return { ai, model, askEmail };
}

const PAY = { name: 'pay', description: 'Pays.', inputSchema: z.object({ amount: z.number() }) };
const respond = { askEmail: EMAIL_SCHEMA };

/** A tool that looks only whether it was resumed: a rejection must not start it. */
function createRestartable(world: World) {
  const { ai, model, askEmail } = createGenkit();
  const pay = ai.defineTool(PAY, async ({ amount }, { interrupt, resumed }) => {
    if (resumed === undefined) return interrupt({ message: `Pay ${amount}?` });
    return world.pay(amount);
  });
  return fromGenkit((turn) => ai.generateStream({ model, tools: [pay, askEmail], ...turn }), { respond });
}

/** The tool of https://genkit.dev/docs/interrupts. */
function createFromPage(world: World) {
  const { ai, model, askEmail } = createGenkit();
  const pay = ai.defineTool(PAY, async (input, { interrupt, resumed }) => {
    const { status } = (resumed ?? {}) as { status?: string };
    if (status === 'REJECTED') return { status, message: 'The user rejected the transaction.' };
    if (status !== 'APPROVED' && input.amount > 100) {
      interrupt({ message: `Please confirm sending ${input.amount}, an amount > $100.` });
    }
    return { status: await world.pay(input.amount) };
  });
  return fromGenkit((turn) => ai.generateStream({ model, tools: [pay, askEmail], ...turn }), {
    respond,
    resumed: { status: 'APPROVED' },
  });
}

/** The middleware of https://genkit.dev/docs/middleware. */
function createWithMiddleware(world: World) {
  const { ai, model, askEmail } = createGenkit();
  const pay = ai.defineTool(PAY, ({ amount }) => world.pay(amount));
  const use = [toolApproval({ approved: ['askEmail'] })];
  return fromGenkit((turn) => ai.generateStream({ model, tools: [pay, askEmail], use, ...turn }), {
    respond,
    resumed: { toolApproved: true },
  });
}

export const createAgents: CreateAgents = (world) => ({
  agent: createRestartable(world),
  page: createFromPage(world),
  middleware: createWithMiddleware(world),
});
