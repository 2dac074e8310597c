// Serves the agent, its inbox and the built page.
import { createHost } from 'holdpoint/host';
import { serve, staticPages } from 'holdpoint/node';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { agent } from './agent.mjs';

const store = sqliteStore(process.env.DATABASE ?? 'app.db');
const host = createHost({ agents: [agent], store, pages: staticPages('dist') });
const { url } = await serve(host, { port: Number(process.env.PORT ?? 4690) });
console.log(`Open ${url} and say “send 10 to Ana”.`);
