/**
 * Tools that run on the server: one runs at once, one waits for an approval.
 * Run: npx tsx --conditions=holdpoint-source examples/02-server-tools/server.ts
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4702;
export const alarms: string[] = [];

const getWeather = defineTool({
  name: 'getWeather',
  description: 'The weather in a city.',
  input: z.object({ city: z.string() }),
  idempotent: true,
  run: ({ city }) => ({ city, sky: 'clear', celsius: 21 }),
});

const setAlarm = defineTool({
  name: 'setAlarm',
  description: 'Wakes the user up.',
  input: z.object({ time: z.string() }),
  approval: { message: ({ time }) => `Set an alarm for ${time}?` },
  run({ time }) {
    alarms.push(time);
    return `The alarm is set for ${time}.`;
  },
});

// Any model works, such as fromAiSdk(openai('gpt-5')) from holdpoint/ai-sdk; this one needs no key.
const model = scriptedModel(({ messages }) => {
  const last = messages.at(-1);
  const text = String(last?.content);
  if (last?.role === 'tool') return text;
  const [, city] = /weather in (\w+)/i.exec(text) ?? [];
  if (city !== undefined) return { calls: [{ name: 'getWeather', input: { city } }] };
  const [, time] = /wake me at (\S+)/i.exec(text) ?? [];
  if (time !== undefined) return { calls: [{ name: 'setAlarm', input: { time } }] };
  return 'I know the weather, and I can wake you.';
});

const agent = defineAgent({ id: 'helper', model, tools: [getWeather, setAlarm] });

export const start = (at = port) =>
  serve(createHost({ agents: [agent], store: memoryStore() }), { port: at });

if (isMain(import.meta.url)) console.log(`The helper is at ${(await start()).url}/agents/helper`);
