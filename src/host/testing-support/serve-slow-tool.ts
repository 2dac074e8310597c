import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';

/** A process that serves a host on the SQLite file of its argument. The body of its tool works for ten minutes and does not listen. */
const work = defineTool({
  name: 'work',
  description: 'Works for ten minutes.',
  input: { type: 'object' },
  async run() {
    process.send?.('begun');
    await new Promise((resolve) => {
      setTimeout(resolve, 600_000);
    });
  },
});
const model = scriptedModel(() => ({ calls: [{ id: 'c', name: 'work' }] }));
const host = createHost({
  agents: [defineAgent({ id: 'assistant', model, tools: [work] })],
  store: sqliteStore(process.argv[2] ?? ''),
  logger: false,
});
const { url } = await serve(host, { port: 0, closeOnSignals: 1000 });
process.send?.(url);
