/** A process of `processes.test.ts`: serves the same agents as the others, on one PostgreSQL. */
import { appendFileSync, existsSync } from 'node:fs';
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { postgresStore } from 'holdpoint/store/postgres';
import { scriptedModel } from 'holdpoint/testing';

export interface ServerSetting {
  readonly url: string;
  /** The file to which each tool call appends a line with its process. */
  readonly world: string;
}

const { url, world } = JSON.parse(process.argv[2] ?? '{}') as ServerSetting;
const store = postgresStore(url, { schema: 'hosts' });
const did = (what: string) => appendFileSync(world, `${what} ${process.pid}\n`);

const pay = defineTool({
  name: 'pay',
  description: 'Cannot be undone.',
  input: { type: 'object' },
  approval: true,
  run: () => (did('paid'), 'paid'),
});
/** A tool that returns when a file of this name exists. */
const wait = defineTool({
  name: 'wait',
  description: 'Takes long.',
  input: { type: 'object' },
  idempotent: true,
  async run(_input, { threadId }) {
    did(`waits-${threadId}`);
    while (!existsSync(`${world}.${threadId}`)) {
      await new Promise((resolve) => {
        setTimeout(resolve, 10);
      });
    }
    return 'waited';
  },
});
const agent = defineAgent({
  id: 'assistant',
  tools: [pay, wait],
  model: scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== 'user') return 'All done.';
    const name = last.content === 'pay' || last.content === 'wait' ? last.content : undefined;
    return name === undefined
      ? `You said ${JSON.stringify(last.content)}.`
      : { text: 'Let me see.', calls: [{ id: `call-${messages.length}`, name }] };
  }),
});

const host = createHost({ logger: false, agents: [agent], store, sweepMs: 50, leaseMs: 1000 });
const served = await serve(host, { port: 0 });
process.on('message', (message) => {
  if (message === 'ready') process.send?.({ url: served.url });
  if (message === 'end') void served.close({ withinMs: 100 }).then(() => process.exit(0));
});
