import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

interface Bundle {
  readonly gzip: number;
  readonly packages: readonly string[];
}

/** Bundles a program for the browser. A Node built-in fails the build. */
async function bundle(program: string): Promise<Bundle> {
  const result = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['holdpoint-source'],
  });
  const [output] = result.outputFiles;
  const used = Object.values(result.metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  const packages = used.flatMap(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return { gzip: gzipSync(output!.contents).length, packages: [...new Set(packages)].toSorted() };
}

/** Entries that need Node. */
const NODE_ONLY = new Set(['./store/sqlite', './store/postgres', './node', './express', './fastify']);
const entries = Object.keys(manifest.exports).filter(
  (entry) => !/\.(json|css)$/.test(entry) && !NODE_ONLY.has(entry),
);

describe('a browser bundle', () => {
  it.each(entries)('a browser bundle of %s contains no Node built-in and no zod', async (entry) => {
    const { packages } = await bundle(`export * from '${entry.replace('.', 'holdpoint')}';`);
    expect(packages).not.toContain('zod');
  });

  it('a browser bundle of all exports of holdpoint contains no zod and no event reader', async () => {
    const { gzip, packages } = await bundle(`export * from 'holdpoint';`);
    // Without splitting, the lazy chunk of re2js is part of the bundle.
    expect(packages).toEqual([
      '@ag-ui/core',
      '@cfworker/json-schema',
      '@noble/hashes',
      'fast-json-patch',
      're2js',
    ]);
    expect(gzip).toBeLessThan(130_000);
  });

  it('a browser bundle of the part mappings of holdpoint/content contains no validator', async () => {
    const { gzip, packages } = await bundle(
      `export { fromInterrupt, toResume, approvalResponse } from 'holdpoint/content';`,
    );
    expect(packages).toEqual([]);
    expect(gzip).toBeLessThan(5000);
  });

  it('a browser bundle of holdpoint/stream is below 3 kB and contains no package', async () => {
    const { gzip, packages } = await bundle(`export * from 'holdpoint/stream';`);
    expect(packages).toEqual([]);
    expect(gzip).toBeLessThan(3000);
  });

  it('a browser bundle of all exports of holdpoint/protocol contains no zod', async () => {
    const { packages } = await bundle(`export * from 'holdpoint/protocol';`);
    expect(packages).toEqual(['@ag-ui/core', '@bufbuild/protobuf', 'fast-json-patch']);
  });

  it('a browser bundle of the event reader contains neither the writer nor the binary form', async () => {
    const { gzip, packages } = await bundle(
      `export { readEvents, createChunkExpander, createVerifier, createApplier, buildResume } from 'holdpoint/protocol';`,
    );
    expect(packages).toEqual(['@ag-ui/core', 'fast-json-patch']);
    expect(gzip).toBeLessThan(16_600);
  });
});

describe('the built web app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-ui-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the notices of its packages and ships their licences', async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../ui/build.mjs'), folder]);
    const script = readFileSync(join(folder, 'assets/app.js'), 'utf8');
    expect(script).toContain('@license');
    expect(script).toContain('Copyright 2017 Google LLC');
    expect(script).toContain('SPDX-License-Identifier: BSD-3-Clause');
    const licenses = readFileSync(join(folder, 'assets/licenses.txt'), 'utf8');
    for (const name of ['lit-html', 'lit-element', '@lit/reactive-element', '@ag-ui/core', 'fast-json-patch'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(licenses).toContain('Redistribution and use in source and binary forms');
  });
});

describe('the pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pages-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('a page loads at most 150 kB gzip, with the parts on demand and the German texts', async () => {
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../ui/build.mjs'), folder]);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const german = readdirSync(join(folder, 'assets')).filter((name) =>
      read(`assets/${name}`).includes('Diese Anfrage gibt es nicht'),
    );
    const named = [...read('index.html').matchAll(/\/(assets\/[\w.-]+\.(?:js|css))/g)].map(
      ([, name]) => name ?? '',
    );
    expect([german.length, named]).toEqual([1, expect.arrayContaining(['assets/app.js', 'assets/app.css'])]);
    const parts = [...new Set([...named, ...german.map((name) => `assets/${name}`)])];
    const sizes = parts.map((name) => gzipSync(read(name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });

  it('a Vite build of the elements has at most ten chunks', async () => {
    const page = join(import.meta.dirname, '../.cache/elements-page.ts');
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, `import { defineElements } from 'holdpoint/elements';\ndefineElements();\n`);
    const result = await buildWithVite({
      configFile: false,
      logLevel: 'error',
      root: dirname(page),
      resolve: { conditions: ['holdpoint-source', 'browser', 'default'] },
      build: { write: false, rollupOptions: { input: page } },
    });
    const outputs = Array.isArray(result)
      ? result.flatMap(({ output }) => output)
      : 'output' in result
        ? result.output
        : [];
    const names = outputs.flatMap((one) => (one.type === 'chunk' ? [one.fileName] : []));
    expect(names.length).toBeGreaterThan(1);
    expect(names.length).toBeLessThanOrEqual(10);
  });
});
