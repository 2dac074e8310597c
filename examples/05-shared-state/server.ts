/**
 * A basket that the agent and the page share: tools change it with patches, and an interrupt keeps it.
 * Run: npx tsx --conditions=holdpoint-source examples/05-shared-state/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4705;

export interface Basket {
  readonly items: readonly string[];
  readonly ordered: readonly string[];
}

const addItem = defineTool({
  name: 'addItem',
  description: 'Puts something into the basket.',
  input: z.object({ item: z.string() }),
  run({ item }, ctx) {
    ctx.emit.state([{ op: 'add', path: '/items/-', value: item }]); // STATE_DELTA, seen at once
    return `${item} is in the basket.`;
  },
});

const order = defineTool({
  name: 'order',
  description: 'Orders everything in the basket.',
  input: z.object({}),
  approval: { message: 'Order all that is in the basket?' },
  run(_input, ctx) {
    const { items } = ctx.state as Basket;
    ctx.emit.state([
      { op: 'replace', path: '/ordered', value: items },
      { op: 'replace', path: '/items', value: [] },
    ]);
    return `Ordered ${items.join(', ')}.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (last?.role === 'tool') return text;
  if (/^order/i.test(text)) return { calls: [{ name: 'order' }] };
  const things = text.replace(/^add /i, '').split(/,| and /);
  return { calls: things.map((thing) => ({ name: 'addItem', input: { item: thing.trim() } })) };
});

const agent = defineAgent({ id: 'shop', model, tools: [addItem, order] });

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The shop is at ${(await start()).url}/agents/shop`);
