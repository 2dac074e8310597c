import { defined } from '../../core/index.ts';
import { createHost, createRegistry } from '../../host/index.ts';
import { webPages } from '../../host/node/index.ts';
import type { Command } from '../command.ts';
import { numberFlag } from '../command.ts';
import { demoAgent } from '../demo/demo-agent.ts';
import { demoCaller } from '../demo/roles.ts';
import { realModel } from '../demo/real-model.ts';
import { DB_FLAGS, openStore, shownDatabase } from '../open-store.ts';
import { paint } from '../terminal.ts';
import { serveHost } from './serve.ts';

const DEFAULT_PORT = 4680;

/** Serves the demo agent with its chat page and inbox. */
export const demo: Command = {
  usage: 'demo [--port 4680] [--db holdpoint.db]',
  summary: 'starts a chat page and an inbox with a demo agent; needs no key and no network',
  flags: {
    port: { type: 'string', help: `the port (default ${DEFAULT_PORT}, or the next free one)` },
    ...DB_FLAGS,
  },
  async run(call) {
    const { terminal, signal } = call;
    const port = numberFlag(call, 'port');
    const name = process.env['HOLDPOINT_MODEL'];
    const model = name === undefined ? undefined : await realModel(name);
    const store = await openStore(call);
    const pages = webPages();
    const host = createHost({
      agents: createRegistry({
        profiles: {},
        tools: [],
        agents: [{ agent: demoAgent(store, model), alias: 'demo' }],
      }),
      store,
      authenticate: demoCaller,
      ...defined({ pages }),
      logger: {
        error: (details, message) => terminal.err(`${message} ${reasonOf(details)}\n`),
        warn: (_details, message) => terminal.err(`${message}\n`),
        info: () => undefined,
      },
    });
    const served = await serveHost(host, { port: port ?? DEFAULT_PORT, nextFreePort: port === undefined });
    terminal.out(`${paint(terminal, 'bold', `Holdpoint demo on ${served.url}`)}\n`);
    terminal.out(
      pages === undefined
        ? '  The web pages are not built: run `npm run build:ui`.\n'
        : `  chat   ${served.url}/\n  inbox  ${served.url}/inbox\n`,
    );
    terminal.out(
      '  roles  owner, asker, reviewer, cfo: choose one on the page, or `holdpoint inbox --as cfo`\n',
    );
    terminal.out(`  data   ${shownDatabase(call)} (open requests survive a restart)\n`);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await served.close({ withinMs: 3000 });
    await store.close();
    return 0;
  },
};

function reasonOf(details: object): string {
  return 'err' in details && details.err instanceof Error ? details.err.message : '';
}
