/**
 * A tool that fails, and a person who decides: `onError: 'interrupt'` raises an interrupt instead of an error
 * result.
 * Run: npx tsx --conditions=holdpoint-source examples/12-error-recovery/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4712;
export const booked: string[] = [];
let calls = 0;

const book = defineTool({
  name: 'book',
  description: 'Books a room.',
  input: z.object({ hotel: z.string() }),
  onError: 'interrupt',
  run({ hotel }) {
    calls += 1;
    if (hotel === 'Grand') throw new Error('The Grand is full.');
    if (hotel === 'Ritz' && calls % 2 === 1) throw new Error('The line is busy.');
    booked.push(hotel);
    return `A room at the ${hotel} is yours.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return String(last.content);
  const [, hotel = 'Plaza'] = /book (?:the )?(\w+)/i.exec(String(last?.content)) ?? [];
  return { calls: [{ name: 'book', input: { hotel } }] };
});

const agent = defineAgent({ id: 'travel', model, tools: [book] });

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The travel agent is at ${(await start()).url}/agents/travel`);
