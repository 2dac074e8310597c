/**
 * Agents as data: profiles, tool rules and agents are in agents.json, and a change of that file applies to the next
 * request. An invalid file changes nothing and is reported with pointers.
 * Run: npx tsx --conditions=holdpoint-source examples/14-registry/server.ts
 */
import { readFileSync, watchFile } from 'node:fs';
import { defineTool, HoldpointError } from 'holdpoint';
import { createHost, createRegistry } from 'holdpoint/host';
import type { RegistryData } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4714;
export const published: string[] = [];
const file = new URL('agents.json', import.meta.url);

// The tools that the data can name.
const publish = defineTool({
  name: 'publish',
  description: 'Publishes a page.',
  input: z.object({ page: z.string() }),
  run({ page }) {
    published.push(page);
    return `${page} is published.`;
  },
});
const small = scriptedModel(({ messages, tools }) => {
  const last = messages.at(-1);
  if (last?.role === 'tool') return String(last.content);
  const [, page] = /publish (?:the )?(\w+)/i.exec(String(last?.content)) ?? [];
  const can = page !== undefined && tools.some(({ name }) => name === 'publish');
  return can ? { calls: [{ name: 'publish', input: { page } }] } : 'I cannot do that.';
});

export const read = () => readFileSync(file, 'utf8');
const registry = createRegistry({ models: { small }, tools: [publish], profiles: {}, agents: [] });

/** Replaces all agents at once; returns the issues of the data. */
export function replace(text: string): readonly string[] {
  try {
    registry.set(JSON.parse(text) as RegistryData); // checked as a whole, then replaced as a whole
    return [];
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID'))
      return error.issues.map(({ pointer, message }) => `${pointer}: ${message}`);
    if (error instanceof SyntaxError) return [error.message];
    throw error;
  }
}

export async function start(at = port) {
  replace(read());
  watchFile(file, { persistent: false, interval: 500 }, () => {
    const issues = replace(read());
    console.log(issues.length === 0 ? 'agents.json is in force.' : issues.join('\n'));
  });
  return serve(createHost({ agents: registry, store: memoryStore() }), { port: at });
}

if (isMain(import.meta.url))
  console.log(`Edit agents.json. ${(await start()).url}/agents/pages is the agent.`);
