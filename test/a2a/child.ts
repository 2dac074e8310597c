/** The process that `kill.test.ts` kills: a host with one A2A agent, on a SQLite file. */
import { a2aAgent } from 'holdpoint/a2a';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';

export interface BridgeSetting {
  readonly file: string;
  /** The card of the agent. */
  readonly card: object;
}

const { file, card } = JSON.parse(process.argv[2] ?? '{}') as BridgeSetting;
const store = sqliteStore(file);
const agent = a2aAgent({
  id: 'assistant',
  card,
  store,
  timing: { pollMs: 20, drainMs: 40, requestMs: 1000 },
});
const served = await serve(
  createHost({ logger: false, agents: [agent], store, sweepMs: 20, leaseMs: 1000 }),
  { port: 0 },
);
process.on('message', (message) => {
  if (message === 'ready') process.send?.({ url: served.url });
});
