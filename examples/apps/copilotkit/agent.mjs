// The agent of the app: "send 10 to Ana", "send 10 to Ana and 20 to Bob". Its model is a script, so it needs no key.
import { defineAgent, defineTool } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';

let payments = 0;

const pay = defineTool({
  name: 'pay',
  description: 'Pays a person.',
  input: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
    required: ['to', 'amount'],
  },
  title: ({ to, amount }) => `Send $${amount} to ${to}`,
  approval: { editable: true },
  run({ to, amount }) {
    payments += 1;
    return `Payment ${payments}: $${amount} to ${to}.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(asked).filter(({ role }) => role === 'tool');
  if (results.length > 0) return results.map(({ content }) => String(content)).join(' ');
  const wanted = [...String(messages[asked]?.content).matchAll(/(\d+) to (\w+)/g)];
  if (wanted.length === 0) return 'Say “send 10 to Ana”.';
  return { calls: wanted.map(([, amount, to]) => ({ name: 'pay', input: { to, amount: Number(amount) } })) };
});

export const agent = defineAgent({ id: 'assistant', name: 'Paymaster', model, tools: [pay] });
