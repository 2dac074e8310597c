import { createHost } from '../../src/host/index.ts';
import { serve, staticPages } from '../../src/host/node/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { browserAgent } from './agent.ts';

/** The host process of the browser tests. Arguments: port, database, pages, file of side effects. */
const [port = '0', database = '', pages = '', outside = ''] = process.argv.slice(2);
const host = createHost({
  logger: false,
  agents: [browserAgent(outside)],
  store: sqliteStore(database),
  pages: staticPages(pages),
  leaseMs: 2000,
  sweepMs: 200,
});
const { url } = await serve(host, { port: Number(port) });
process.stdout.write(`listening on ${url}\n`);
