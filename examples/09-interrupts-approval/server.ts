/**
 * Approval by interrupts, sample 09 of the .NET plan: every call of this agent needs an approval. The host holds
 * the call and ends the run with an interrupt; the answer, at any later time, runs the call or rejects it.
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
    // The results since the last message of the model.
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
