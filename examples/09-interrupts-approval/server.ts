/**
 * Approval by interrupts, sample 09 of the .NET plan: an agent whose every call needs a yes. Nothing here asks: the call is
 * held, the run ends with an interrupt, and the answer, whenever it comes, makes the call or tells the model no.
 * Run: npx tsx --conditions=holdpoint-source examples/09-interrupts-approval/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4709;
export const looked: string[] = [];

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather at a place.',
  input: z.object({ location: z.string() }),
  run({ location }) {
    looked.push(location);
    return `It is sunny in ${location}, 21 °C.`;
  },
});

const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') {
    // What was asked in one turn is told in one: the results since the model spoke last.
    const from = messages.findLastIndex(({ role }) => role === 'assistant');
    return messages
      .slice(from + 1)
      .map(({ content }) => String(content))
      .join(' ');
  }
  const places = String(last?.content)
    .replace(/^.*weather (?:in|for) |[?.!]$/gi, '')
    .split(/,| and /);
  return {
    calls: places.map((place) => ({ name: 'get_weather', input: { location: place.trim() } })),
  };
});

const agent = defineAgent({
  id: 'weather',
  model,
  instructions: 'You are a helpful weather assistant.',
  tools: [getWeather],
  approval: 'require',
});

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The weather agent is at ${(await start()).url}/agents/weather`);
