import { answer, approve, defineAgent, defineInterrupt, defineTool } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/store/sqlite/index.ts';
import { nextTurn } from '../world.mjs';

const model = {
  provider: 'scripted',
  model: 'scripted',
  async *stream({ messages }) {
    const lastUser = messages.findLastIndex(({ role }) => role === 'user');
    const results = messages.slice(lastUser + 1).filter(({ role }) => role === 'tool');
    const { text, name, args } = nextTurn(
      String(messages[lastUser].content),
      results.map(({ content }) => String(content)),
    );
    if (text !== undefined) yield { type: 'text', delta: text };
    else yield { type: 'tool-call', callId: `call-${messages.length}`, name, input: JSON.stringify(args) };
    yield { type: 'finish', reason: text === undefined ? 'tool-calls' : 'stop' };
  },
};

export async function open(folder, world) {
  const store = sqliteStore(`${folder}/holdpoint.db`);
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    approval: true,
    run: ({ amount }) => world.pay(amount),
  });
  const askEmail = defineInterrupt({
    name: 'askEmail',
    description: 'Your email?',
    input: { type: 'object' },
    response: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
  });
  const agent = defineAgent({ id: 'payer', model, tools: [pay, askEmail] });
  const shown = ({ interrupts, text }) => ({
    waiting: interrupts.map(({ interrupt }) => interrupt),
    text,
  });
  return {
    ask: async (thread, prompt) => shown(await agent.generate({ store, threadId: thread, prompt })),
    async answer(thread, waiting, value) {
      const resume = waiting.map((interrupt) =>
        value.approved === true ? approve(interrupt) : answer(interrupt, value),
      );
      return shown(await agent.generate({ store, threadId: thread, resume }));
    },
  };
}
