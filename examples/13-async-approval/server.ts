/**
 * All data is in one SQLite file, so an interrupt outlives the process that raised it: stop this server and start
 * it again, or start another one over the same file, and the interrupt is still open.
 * Run: npx tsx --conditions=holdpoint-source examples/13-async-approval/server.ts
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { checking, isMain } from '../console.ts';

export const port = 4713;
export const file = join(tmpdir(), `holdpoint-async-approval${checking ? `-${process.pid}` : ''}.db`);
export const ordered: string[] = [];

const orderLaptop = defineTool({
  name: 'orderLaptop',
  description: 'Orders a laptop.',
  input: z.object({ whom: z.string() }),
  title: ({ whom }) => `A laptop for ${whom}`,
  approval: { message: ({ whom }) => `Order a laptop for ${whom}?` },
  run({ whom }) {
    ordered.push(whom);
    return `The laptop for ${whom} is ordered.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return String(last.content);
  const [, whom = 'you'] = /for (\w+)/i.exec(String(last?.content)) ?? [];
  return { calls: [{ name: 'orderLaptop', input: { whom } }] };
});

const agent = defineAgent({ id: 'office', model, tools: [orderLaptop] });

export async function start(at = port) {
  const store = sqliteStore(file);
  const host = createHost({
    agents: [agent],
    store,
    // Send an e-mail or a message to the person who decides here.
    onInterrupt: ({ interrupt }) => console.log(`  (to the boss: ${interrupt.message ?? interrupt.id})`),
  });
  const { url, close } = await serve(host, { port: at });
  return { url, close: () => close().then(() => store.close()) };
}

if (isMain(import.meta.url)) console.log(`The office is at ${(await start()).url}/agents/office`);
