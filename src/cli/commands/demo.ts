import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, createRegistry } from '../../host/index.ts';
import { staticPages } from '../../host/node/index.ts';
import type { Command } from '../command.ts';
import { numberFlag } from '../command.ts';
import { demoAgent } from '../demo/demo-agent.ts';
import { realModel } from '../demo/real-model.ts';
import { databaseOf, DB_FLAGS, openStore } from '../open-store.ts';
import { serveHost } from '../serve-host.ts';
import { paint } from '../terminal.ts';

const DEFAULT_PORT = 4680;

/** The demo: a chat page, an inbox, a bank; no key, no network. */
export const demo: Command = {
  usage: 'demo [--port 4680] [--db holdpoint.db]',
  summary: 'a chat page and an inbox with an agent that asks; needs no key and no network',
  flags: {
    port: { type: 'string', help: `the port (default ${DEFAULT_PORT}, or the next free one)` },
    ...DB_FLAGS,
  },
  async run(call) {
    const { terminal, signal } = call;
    const name = process.env['HOLDPOINT_MODEL'];
    const model = name === undefined ? undefined : await realModel(name);
    const store = await openStore(call);
    const folder = pagesFolder();
    const host = createHost({
      agents: createRegistry({
        profiles: {},
        tools: [],
        agents: [{ agent: demoAgent(store, model), alias: 'demo' }],
      }),
      store,
      ...(folder === undefined ? {} : { pages: staticPages(folder) }),
      logger: {
        error: (details, message) => terminal.err(`${message} ${reasonOf(details)}\n`),
        warn: (_details, message) => terminal.err(`${message}\n`),
        info: () => undefined,
      },
    });
    const port = numberFlag(call, 'port');
    const served = await serveHost(host, { port: port ?? DEFAULT_PORT, nextFreePort: port === undefined });
    terminal.out(`${paint(terminal, 'bold', `Holdpoint demo on ${served.url}`)}\n`);
    terminal.out(
      folder === undefined
        ? '  the web pages are not built: run `npm run build:ui`\n'
        : `  chat   ${served.url}/\n  inbox  ${served.url}/inbox\n`,
    );
    terminal.out(`  kept   ${databaseOf(call)} — stop it, kill it, start it again: questions stay\n`);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await served.close({ withinMs: 3000 });
    await store.close();
    return 0;
  },
};

/** Where the built web app is: beside the built command, or in the repository. */
function pagesFolder(): string | undefined {
  const places = ['../../ui', '../../../dist/ui'].map((place) => join(import.meta.dirname, place));
  return places.find((place) => existsSync(join(place, 'index.html')));
}

function reasonOf(details: object): string {
  return 'err' in details && details.err instanceof Error ? details.err.message : '';
}
