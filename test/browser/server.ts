import { demoAgent } from '../../src/cli/demo/demo-agent.ts';
import { demoCaller } from '../../src/cli/demo/roles.ts';
import { createHost } from '../../src/host/index.ts';
import { serve, staticPages } from '../../src/host/node/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { browserAgent } from './agent.ts';

/** The host process of the browser tests. Arguments: port, database, pages, file of side effects, and `demo` to serve the demo. */
const [port = '0', database = '', pages = '', outside = '', kind = ''] = process.argv.slice(2);
const store = sqliteStore(database);
const host = createHost({
  logger: false,
  ...(kind === 'demo'
    ? { agents: [demoAgent(store)], authenticate: demoCaller }
    : { agents: [browserAgent(outside)] }),
  store,
  pages: staticPages(pages),
  secretKey: btoa('0123456789abcdef0123456789abcdef'),
  leaseMs: 2000,
  sweepMs: 200,
});
const { url } = await serve(host, { port: Number(port) });
process.stdout.write(`listening on ${url}\n`);
