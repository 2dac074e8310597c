import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { measurePage } from '../../src/client/testing-support/measure-page.ts';
import type { Case } from '../harness/case.ts';

const root = resolve(import.meta.dirname, '../..');

/** Entries that need Node. */
const NODE_ONLY = new Set(['./store/sqlite', './store/postgres', './node', './express', './fastify']);

export const size: Case = {
  name: 'size',
  title: 'each browser entry, bundled and minified by esbuild, gzip',
  async run(bench) {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object };
    const entries = Object.keys(exports).filter(
      (entry) => !/\.(?:json|css)$/.test(entry) && !NODE_ONLY.has(entry),
    );
    const record = (name: string, bytes: number, peer?: readonly [string, number]) =>
      bench.record({
        name,
        unit: 'kB',
        better: 'less',
        ours: 'holdpoint',
        figures: {
          holdpoint: { values: [bytes / 1000] },
          ...(peer === undefined ? {} : { [peer[0]]: { values: [peer[1] / 1000] } }),
        },
      });
    bench.progress('bundles');
    const page = await measurePage(`export { answer, approve, createClient } from './index.ts';`);
    const official = await bundled(`export { HttpAgent } from '@ag-ui/client';`);
    const plain = page.total('a run and an answer');
    const validated = page.total('an answer to a schema');
    record('holdpoint/client, loaded for a run and an answer', plain, ['@ag-ui/client', official]);
    record('holdpoint/client, loaded with the validator', validated);
    bench.budget({ text: 'holdpoint/client', value: plain / 1000, atMost: 18, unit: 'kB' });
    bench.budget({
      text: 'holdpoint/client with the validator',
      value: validated / 1000,
      atMost: 30,
      unit: 'kB',
    });
    for (const entry of entries) {
      const name = entry.replace('.', 'holdpoint');
      bench.progress(`bundles ${name}`);
      const bytes = await bundled(`export * from '${name}';`).catch(() => undefined);
      if (bytes === undefined) bench.note(`${name} could not be bundled.`);
      else record(`${name}, every export`, bytes);
      if (entry === './stream') {
        bench.budget({
          text: name,
          value: bytes === undefined ? undefined : bytes / 1000,
          atMost: 3,
          unit: 'kB',
        });
      }
    }
  },
};

/** The gzipped bytes of a program as one file for the browser. React is the page's own. */
async function bundled(program: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    external: ['react', 'react-dom', '@lit/react'],
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}
