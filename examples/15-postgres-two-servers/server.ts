/**
 * A server that keeps everything in PostgreSQL, so that there can be several of it behind one address.
 * Run: DATABASE_URL=postgres://… npx tsx --conditions=holdpoint-source examples/15-postgres-two-servers/server.ts [port]
 */
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { postgresStore } from 'holdpoint/store/postgres';
import { scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const launched: string[] = [];

/** One server, by a name of its own. */
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
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    const rockets = [...String(messages[asked]?.content).matchAll(/(?:launch|then) (?:the )?(\w+)/gi)];
    const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
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
