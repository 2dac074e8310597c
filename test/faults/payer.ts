import { defineAgent, defineTool } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';

/** An agent with one tool that must not run twice. `whilePaying` happens while it runs; `counts` has how often it ran. */
export function payer(
  whilePaying: () => void | Promise<void> = () => undefined,
  { approval = false }: { readonly approval?: boolean } = {},
) {
  const counts = { paid: 0 };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    approval,
    async run() {
      counts.paid += 1;
      await whilePaying();
      return 'paid';
    },
  });
  const model = scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ id: 'pay-call', name: 'pay' }] } : 'Done.',
  );
  return { counts, agent: defineAgent({ id: 'payer', model, tools: [pay] }) };
}
