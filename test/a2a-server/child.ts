/** The process that `kill.test.ts` kills: an agent as an A2A server, on a SQLite file. */
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { defineAgent, defineTool } from 'holdpoint';
import { toA2a } from 'holdpoint/a2a';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';

export interface ServerSetting {
  readonly file: string;
  /** A file that gets a line for each payment. */
  readonly ledger: string;
}

const { file, ledger } = JSON.parse(process.argv[2] ?? '{}') as ServerSetting;
const pay = defineTool({
  name: 'pay',
  description: 'Pays, and never returns unless it is stopped.',
  input: { type: 'object' },
  approval: true,
  async run(_input, { signal }) {
    appendFileSync(ledger, 'paid\n');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  },
});
const model = scriptedModel(({ messages }) =>
  messages.at(-1)?.role === 'user' ? { calls: [{ id: `call-${messages.length}`, name: 'pay' }] } : 'Done.',
);
const service = toA2a(defineAgent({ id: 'bank', model, tools: [pay] }), {
  store: sqliteStore(file),
  leaseMs: 1000,
});
const listener = getRequestListener((request) => service.fetch(request));
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
