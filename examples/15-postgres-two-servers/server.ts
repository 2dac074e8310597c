/**
 * A server that stores all data in PostgreSQL, so that several servers can share one address.
 * Run: DATABASE_URL=postgres://… npx tsx --conditions=holdpoint-source examples/15-postgres-two-servers/server.ts
 * [port]
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { postgresStore } from 'holdpoint/store/postgres';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const launched: string[] = [];

/** Starts one server with its own name. */
export async function start(name: string, database: string, port: number) {
  const launch = defineTool({
    name: 'launch',
    description: 'Launches a rocket.',
    input: z.object({ rocket: z.string() }),
    approval: { message: ({ rocket }) => `Launch ${rocket}?` },
    run({ rocket }) {
      console.log(`  (${name} launches ${rocket})`);
      launched.push(rocket);
      return `${rocket} is in the sky.`;
    },
  });
  const model = scriptedModel(({ messages }) => {
    const prompt = messages.findLastIndex(({ role }) => role === 'user');
    const rockets = [...String(messages[prompt]?.content).matchAll(/(?:launch|then) (?:the )?(\w+)/gi)];
    const results = messages.slice(prompt + 1).filter(({ role }) => role === 'tool');
    const [, rocket] = rockets[results.length] ?? [];
    if (rocket !== undefined) return { calls: [{ name: 'launch', input: { rocket } }] };
    return String(results.at(-1)?.content ?? 'Say which rocket to launch.');
  });
  const store = postgresStore(database);
  const agent = defineAgent({ id: 'control', model, tools: [launch] });
  const { url, close } = await serve(createHost({ agents: [agent], store }), { port });
  return { url, close: () => close().then(() => store.close()) };
}

if (isMain(import.meta.url)) {
  const database = process.env['DATABASE_URL'];
  if (database === undefined) {
    console.error(
      'Set DATABASE_URL to a PostgreSQL database, such as postgres://me:secret@localhost/holdpoint.',
    );
    process.exit(2);
  }
  const port = Number(process.argv[2] ?? 4715);
  console.log(`Control is at ${(await start(`server ${port}`, database, port)).url}/agents/control`);
}
