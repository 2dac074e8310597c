/** Cloudflare's runtime, as Miniflare starts it, without `nodejs_compat`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

const root = new URL('../../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
};

/** Entries that need Node, or a page. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  './node',
  './express',
  './fastify',
  './store/sqlite',
  './store/postgres',
  './store/testing',
  './elements',
  './elements.css',
  './react',
  './package.json',
]);
const NEUTRAL = Object.entries(exports).flatMap(([entry, paths]) =>
  ELSEWHERE.has(entry) || typeof paths === 'string'
    ? []
    : [[entry, String(paths['holdpoint-source'])] as const],
);

/** Starts a worker from the sources; it ends with the test. */
async function startWorker(
  context: TestContext,
  entry: { readonly code: string } | { readonly file: string },
) {
  const { outputFiles } = await build({
    ...('file' in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.code, resolveDir: import.meta.dirname, loader: 'ts' } }),
    absWorkingDir: import.meta.dirname,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['holdpoint-source', 'workerd', 'worker', 'browser'],
    logLevel: 'silent',
  });
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-07-01',
  });
  context.after(() => worker.dispose());
  return worker;
}

void test('lists the neutral entries', () => {
  assert.deepEqual(NEUTRAL[0], ['.', './src/index.ts']);
  assert.ok(NEUTRAL.length > 12);
});

for (const [entry, source] of NEUTRAL) {
  void test(`a worker imports ${entry}`, async (context) => {
    const code = `import * as entry from '../.${source}';
      export default { fetch: () => Response.json(Object.keys(entry).length) };`;
    const worker = await startWorker(context, { code });
    const response = await worker.dispatchFetch('http://localhost/');
    assert.equal(response.status, 200, await response.clone().text());
    assert.ok(Number(await response.json()) > 0);
  });
}

void test('a worker runs a whole approval with memoryStore', async (context) => {
  const worker = await startWorker(context, { file: './worker.ts' });
  const response = await worker.dispatchFetch('http://localhost/');
  assert.deepEqual(await response.json(), {
    asked: 1,
    paid: [{ amount: 5 }],
    outcome: 'success',
    said: 'Paid.',
  });
});
