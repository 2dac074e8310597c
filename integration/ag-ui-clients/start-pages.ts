import { createAdaptorServer } from '@hono/node-server';
import { HttpAgent } from '@ag-ui/client';
import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2';
import { build } from 'esbuild';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createHost } from '../../src/host/index.ts';
import { serve } from '../../src/host/node/index.ts';
import { sqliteStore } from '../../src/store/sqlite/index.ts';
import { createPayer } from './agent.ts';

/** A host with the built pages, and the runtime of CopilotKit in front of it. */
export interface Pages {
  /** The address of the host, which serves each page under `/pages/<name>`. */
  readonly url: string;
  readonly runtimeUrl: string;
  /** The amounts that the agent has paid. */
  readonly paid: readonly number[];
  close(): Promise<void>;
}

const HTML = (name: string) =>
  `<!doctype html><meta charset="utf-8"><title>${name}</title><main></main><script type="module" src="${name}.js"></script>`;

/** Builds the pages and starts the servers. */
export async function startPages(): Promise<Pages> {
  const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.pages-'));
  const source = join(import.meta.dirname, 'pages');
  const names = readdirSync(source).filter((name) => name !== 'card.tsx');
  await build({
    entryPoints: names.map((name) => join(source, name)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    conditions: ['holdpoint-source'],
    // One copy of React, for the packages of this folder and for `holdpoint/react`.
    alias: { react: join(import.meta.dirname, 'node_modules/react') },
    // The pages are read by a test, not by people.
    loader: { '.css': 'empty' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const paid: number[] = [];
  const host = createHost({
    agents: [createPayer((amount) => paid.push(amount))],
    store: sqliteStore(join(folder, 'holdpoint.db')),
    async pages(request) {
      const [, name, type] = /^\/pages\/([\w.-]+?)(\.js)?$/.exec(new URL(request.url).pathname) ?? [];
      if (name === undefined) return undefined;
      const body = type === undefined ? HTML(name) : await readFile(join(folder, `${name}.js`));
      return new Response(body, {
        headers: { 'content-type': type === undefined ? 'text/html' : 'text/javascript' },
      });
    },
  });
  const served = await serve(host, { port: 0 });
  const url = `${served.url}/agents/assistant`;
  const agents = {
    assistant: new HttpAgent({ url }),
    'one-at-a-time': new HttpAgent({ url, headers: { 'ag-ui-dialect': 'command' } }),
  };
  const basePath = '/api/copilotkit';
  const fetch = createCopilotRuntimeHandler({
    runtime: new CopilotRuntime({ agents }),
    basePath,
    cors: true,
  });
  const runtime = createAdaptorServer({ fetch });
  runtime.listen(0, '127.0.0.1');
  await once(runtime, 'listening');
  return {
    url: served.url,
    runtimeUrl: `http://127.0.0.1:${(runtime.address() as AddressInfo).port}${basePath}`,
    paid,
    async close() {
      const closed = once(runtime, 'close');
      runtime.close();
      if ('closeAllConnections' in runtime) runtime.closeAllConnections();
      await Promise.all([closed, served.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
