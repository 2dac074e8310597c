/**
 * A host with a React page of its own at `/`, bundled when it starts.
 * Run: npm ci --prefix examples/16-react-app/page
 *      npx tsx --conditions=holdpoint-source examples/16-react-app/server.ts
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineAgent, defineTool } from 'holdpoint';
import { createHost } from 'holdpoint/host';
import { serve } from 'holdpoint/node';
import { memoryStore } from 'holdpoint/store/memory';
import { scriptedModel } from 'holdpoint/testing';
import { build } from 'esbuild';
import type { BuildOptions } from 'esbuild';
import { z } from 'zod';
import { isMain } from '../console.ts';

export const port = 4716;
export const watered: string[] = [];
const CSP = "default-src 'self'; img-src 'self' data:";
const folder = join(import.meta.dirname, 'page');

const water = defineTool({
  name: 'water',
  description: 'Waters plants.',
  input: z.object({ plant: z.string() }),
  approval: { message: ({ plant }) => `Water the ${plant}?` },
  run({ plant }) {
    watered.push(plant);
    return `${plant}: watered.`;
  },
});
const model = scriptedModel(({ messages }) => {
  const asked = messages.findLast(({ role }) => role === 'user');
  const results = messages.slice(messages.lastIndexOf(asked!)).filter(({ role }) => role === 'tool');
  if (results.length > 0) return results.map(({ content }) => String(content)).join(' ');
  const text = String(asked?.content).replace(/^water |the /gi, '');
  return { calls: text.split(' and ').map((plant) => ({ name: 'water', input: { plant } })) };
});

/** Bundles one file of the page. Your own app installs `holdpoint` as a package and needs no alias. */
export async function bundle(entry: string, options: BuildOptions): Promise<string> {
  if (!existsSync(join(folder, 'node_modules/react'))) {
    throw new Error(`React is not installed. Run: npm ci --prefix ${folder}`);
  }
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    alias: { 'holdpoint/client': join(import.meta.dirname, '../../src/client/index.ts') },
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: 'automatic',
    bundle: true,
    ...options,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

export async function start(at = port) {
  const script = await bundle('main.tsx', { format: 'esm', minify: true });
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  const pages = new Map([
    ['/', { body: file('index.html'), type: 'text/html; charset=utf-8' }],
    ['/page.css', { body: file('page.css'), type: 'text/css; charset=utf-8' }],
    ['/app.js', { body: script, type: 'text/javascript; charset=utf-8' }],
  ]);
  const host = createHost({
    agents: [defineAgent({ id: 'garden', model, tools: [water] })],
    store: memoryStore(),
    pages(request) {
      const page = pages.get(new URL(request.url).pathname);
      if (page === undefined) return undefined;
      const headers = { 'content-type': page.type, 'content-security-policy': CSP };
      return new Response(page.body, { headers });
    },
  });
  return serve(host, { port: at });
}

if (isMain(import.meta.url))
  console.log(`Open ${(await start()).url} and say “water the roses and the lilies”.`);
