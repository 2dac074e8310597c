import { defineTool } from '../../src/engine/index.ts';
import type { GeneratingAgent } from '../../src/runs/index.ts';
import { defineAgent } from '../../src/runs/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

type Calls = readonly { readonly name: string; readonly input?: unknown }[];

/** The tool calls for each phrase. `setColour` and `pickTime` are tools of the page. */
const CALLS: Readonly<Record<string, Calls>> = {
  pay: [{ name: 'pay', input: { amount: 10 } }],
  'pay twice': [
    { name: 'pay', input: { amount: 20 } },
    { name: 'pay', input: { amount: 30 } },
  ],
  onboard: [{ name: 'onboard' }],
  colour: [{ name: 'setColour', input: { colour: 'red' } }],
  time: [{ name: 'pickTime', input: { day: 'Monday' } }],
  'pay and colour': [
    { name: 'pay', input: { amount: 40 } },
    { name: 'setColour', input: { colour: 'blue' } },
  ],
};

/** An agent that says the results of the last turn. `paid` gets each payment. */
export function createPayer(paid: (amount: number) => void): GeneratingAgent {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
    approval: { editable: true, message: (input) => `Pay ${(input as { amount: number }).amount}?` },
    run(input) {
      const { amount } = input as { amount: number };
      paid(amount);
      return `paid ${amount}`;
    },
  });
  const onboard = defineTool({
    name: 'onboard',
    description: 'Asks two questions, one after the other.',
    input: { type: 'object' },
    async run(_input, { ask }) {
      const schema = { type: 'string', minLength: 1 };
      const name = await ask('name', { message: 'Your name?', schema });
      const city = await ask('city', { message: 'Your city?', schema });
      return `${String(name)} from ${String(city)}`;
    },
  });
  const model = scriptedModel(({ messages }) => {
    const turn = messages.findLastIndex(({ role }) => role === 'assistant');
    const results = messages
      .slice(turn + 1)
      .flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []));
    if (results.length > 0) return `Result: ${results.join(', ')}.`;
    const last = messages.at(-1);
    const said = last?.role === 'user' && typeof last.content === 'string' ? last.content : '';
    const calls = CALLS[said];
    if (calls === undefined) return `You said ${said}.`;
    return { calls: calls.map((call, n) => ({ id: `${messages.length}-${n}`, ...call })) };
  });
  return defineAgent({ id: 'assistant', model, tools: [pay, onboard] });
}
