/**
 * The processes that the tests of this folder kill: a host with one A2A agent on a SQLite file, or an A2A agent of ours on a SQLite
 * file, which deploys once after an approval.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { defineAgent, defineTool } from 'holdpoint';
import { a2aAgent, toA2a } from 'holdpoint/a2a';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

export interface BridgeSetting {
  readonly role: 'host';
  readonly file: string;
  /** The card of the agent, or the address of the agent. */
  readonly card?: object;
  readonly url?: string;
}

export interface AgentSetting {
  readonly role: 'agent';
  readonly file: string;
  readonly port: number;
  /** The address in the card. */
  readonly url: string;
  /** Gets a line for each call, with its idempotency key. */
  readonly effects: string;
}

const setting = JSON.parse(process.argv[2] ?? '{}') as BridgeSetting | AgentSetting;
const url = setting.role === 'host' ? await startHost(setting) : await startAgent(setting);
process.on('message', (message) => {
  if (message === 'ready') process.send?.({ url });
});

async function startHost({ file, card, url: address = '' }: BridgeSetting): Promise<string> {
  const store = sqliteStore(file);
  const timing = { pollMs: 20, drainMs: 40, requestMs: 2000 };
  const agent = a2aAgent({
    id: 'assistant',
    store,
    timing,
    ...(card === undefined ? { url: address } : { card }),
  });
  const limits = { requestsPerMinute: 1_000_000 };
  const host = createHost({ logger: false, agents: [agent], store, sweepMs: 20, leaseMs: 1000, limits });
  return (await serve(host, { port: 0 })).url;
}

async function startAgent({ file, port, url: address, effects }: AgentSetting): Promise<string> {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys.',
    input: z.object({ what: z.string() }),
    approval: true,
    idempotent: true,
    run(_input, { idempotencyKey }) {
      appendFileSync(effects, `${idempotencyKey}\n`);
      return 'deployed';
    },
  });
  const agent = defineAgent({
    id: 'deployer',
    model: scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? 'It is deployed.'
        : { text: 'One moment.', calls: [{ id: 'call', name: 'deploy', input: { what: 'shop' } }] },
    ),
    tools: [deploy],
  });
  const service = toA2a(agent, { store: sqliteStore(file), url: address, leaseMs: 1000 });
  const listener = getRequestListener((request) => service.fetch(request));
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${port}`;
}
