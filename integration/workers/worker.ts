/** A worker that asks for an approval, answers it, and returns what ran. */
import { defineAgent, defineTool } from '../../src/index.ts';
import { createClient } from '../../src/client/index.ts';
import { approve } from '../../src/content/index.ts';
import { createHost } from '../../src/host/index.ts';
import { memoryStore } from '../../src/store/memory/index.ts';
import { runToEnd, scriptedModel } from '../../src/testing/index.ts';

// oxlint-disable-next-line import/no-default-export -- the form of a worker
export default {
  async fetch(): Promise<Response> {
    const paid: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays an amount.',
      input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
      approval: true,
      run(input) {
        paid.push(input);
        return { ok: true };
      },
    });
    const clerk = defineAgent({
      id: 'clerk',
      model: scriptedModel([{ calls: [{ name: 'pay', input: { amount: 5 } }] }, 'Paid.']),
      tools: [pay],
    });
    const host = createHost({ agents: [clerk], store: memoryStore() });
    const client = createClient({
      url: 'http://127.0.0.1/agents/clerk',
      fetch: (request, init) => host.fetch(new Request(request, init)),
    });
    let asked = 0;
    const { outcome, messages } = await runToEnd(
      client,
      { threadId: 't1', messages: 'Pay 5.' },
      (interrupt) => {
        asked += 1;
        return approve(interrupt);
      },
    );
    await host.close();
    return Response.json({ asked, paid, outcome, said: messages.at(-1)?.content });
  },
};
