import { z } from 'zod';
import { defineInterrupt, defineTool } from '../../engine/index.ts';
import type { GeneratingAgent } from '../../runs/index.ts';
import { defineAgent } from '../../runs/index.ts';
import { scriptedModel } from '../../testing/index.ts';

/** The side effects, one line each. */
export interface Outside {
  readonly done: string[];
}

/** An agent with an interrupt of every kind, chosen by the message. */
export function demoAgent(outside: Outside, id = 'assistant'): GeneratingAgent {
  const weather = defineTool({
    name: 'weather',
    description: 'Says the weather.',
    input: z.object({ city: z.string() }),
    idempotent: true,
    run: ({ city }) => `sunny in ${city}`,
  });
  const email = defineTool({
    name: 'email',
    description: 'Sends an e-mail.',
    input: z.object({ to: z.string(), body: z.string() }),
    approval: { editable: true },
    run: ({ to, body }) => {
      outside.done.push(`${to}: ${body}`);
      return { sent: true };
    },
  });
  const choose = defineInterrupt({
    name: 'choose',
    description: 'Asks the user to choose.',
    input: { type: 'object' },
    response: { enum: ['red', 'blue'] },
  });
  const onboard = defineTool({
    name: 'onboard',
    description: 'Asks twice.',
    input: { type: 'object' },
    async run(_input, context) {
      const name = await context.ask('name', { message: 'Who?', schema: { type: 'string' } });
      await context.step('create', () => outside.done.push(`created ${String(name)}`));
      const plan = await context.ask('plan', { message: 'Which?', schema: { enum: ['free', 'pro'] } });
      return `${String(name)} is ${String(plan)}`;
    },
  });
  const calls: Readonly<Record<string, readonly { readonly name: string; readonly input?: unknown }[]>> = {
    weather: [{ name: 'weather', input: { city: 'Oslo' } }],
    email: [{ name: 'email', input: { to: 'a@b.c', body: 'hello' } }],
    choose: [{ name: 'choose' }],
    onboard: [{ name: 'onboard' }],
    both: [
      { name: 'email', input: { to: 'a@b.c', body: 'hello' } },
      { name: 'choose' },
      { name: 'weather', input: { city: 'Rome' } },
    ],
    local: [{ name: 'locate' }],
    mixed: [{ name: 'locate' }, { name: 'email', input: { to: 'a@b.c', body: 'hello' } }],
    wizard: [{ name: 'locate' }, { name: 'onboard' }],
  };
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return `Result: ${typeof last.content === 'string' ? last.content : ''}`;
    const said = last?.role === 'user' && typeof last.content === 'string' ? last.content : '';
    const wanted = calls[said];
    if (said === 'fail') return { error: new Error('the model is down') };
    if (wanted === undefined) return `You said ${said}.`;
    return { calls: wanted.map((call, n) => ({ id: `${said}-${messages.length}-${n}`, ...call })) };
  });
  return defineAgent({ id, description: 'Helps.', model, tools: [weather, email, choose, onboard] });
}
