/**
 * An agent that only speaks A2A, and a Holdpoint host in front of it: its `input-required` becomes an interrupt in
 * the inbox. The A2A agent is a Holdpoint agent served with `toA2a`; any other A2A agent works as well.
 * Run: npx tsx --conditions=holdpoint-source examples/17-a2a/server.ts
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { defineAgent, defineTool } from 'holdpoint';
import { a2aAgent, toA2a } from 'holdpoint/a2a';
import { createHost } from 'holdpoint/host';
import { serve, webPages } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4717;
export const booked: string[] = [];

const bookFlight = defineTool({
  name: 'bookFlight',
  description: 'Books a flight.',
  input: z.object({ to: z.string() }),
  approval: { message: ({ to }) => `Book the flight to ${to}?` },
  run({ to }) {
    booked.push(to);
    return `The flight to ${to} is booked.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return String(last.content);
  const [, to = 'Oslo'] = /to (\w+)/i.exec(String(last?.content)) ?? [];
  return { calls: [{ name: 'bookFlight', input: { to } }] };
});

/** The travel agency: an A2A server without AG-UI. */
async function startAgency() {
  const agent = defineAgent({ id: 'agency', description: 'Books flights.', model, tools: [bookFlight] });
  const service = toA2a(agent, { store: memoryStore() });
  const listener = getRequestListener((request) => service.fetch(request));
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Starts the host, with the web pages of this package if they are built. */
export async function start(at = port, pages = webPages()) {
  const agency = await startAgency();
  const store = memoryStore();
  const agents = [a2aAgent({ id: 'travel', url: agency.url, store })];
  const host = createHost({ agents, store, ...(pages === undefined ? {} : { pages }) });
  const { url, close } = await serve(host, { port: at });
  return {
    url,
    async close() {
      await close();
      agency.server.closeAllConnections();
      agency.server.close();
    },
  };
}

if (isMain(import.meta.url)) {
  const { url } = await start();
  console.log(`Travel is at ${url}/agents/travel, the chat at ${url}/, the inbox at ${url}/inbox`);
}
