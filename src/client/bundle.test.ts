import { basename, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** What each part loads when an application's bundler splits it, in gzipped bytes. */
interface Sizes {
  /** What an import of the client loads at first. */
  readonly first: number;
  /** What a module of `later/` loads beyond that, and beyond what a run has loaded. */
  readonly beyond: (module: string, after?: string) => number;
  readonly packages: (module: string | undefined) => readonly string[];
}

async function measure(program: string): Promise<Sizes> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts', sourcefile: 'page.ts' },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: 'out',
    format: 'esm',
    platform: 'browser',
    conditions: ['holdpoint-source'],
    absWorkingDir: root,
  });
  const chunks = new Map(Object.entries(metafile.outputs).map(([path, chunk]) => [basename(path), chunk]));
  const contents = new Map(outputFiles.map((file) => [basename(file.path), file.contents]));
  const reach = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const { path, kind } of chunks.get(name)?.imports ?? []) {
      if (kind === 'import-statement') reach(basename(path), seen);
    }
    return seen;
  };
  const chunkOf = (module: string | undefined) => {
    const ends = module === undefined ? 'page.ts' : `later/${module}.ts`;
    const found = [...chunks].find(([, { entryPoint }]) => entryPoint?.endsWith(ends) === true);
    return found === undefined ? expect.fail(`no chunk for ${ends}`) : reach(found[0]);
  };
  const gzip = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(contents.get(name) ?? '').length, 0);
  const first = chunkOf(undefined);
  return {
    first: gzip(first),
    beyond(module, after) {
      const loaded = after === undefined ? first : new Set([...first, ...chunkOf(after)]);
      return gzip([...chunkOf(module)].filter((name) => !loaded.has(name)));
    },
    packages(module) {
      const inputs = [...chunkOf(module)].flatMap((name) => Object.entries(chunks.get(name)?.inputs ?? {}));
      const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
      return [
        ...new Set(used.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
      ].toSorted();
    },
  };
}

describe('the client in a page', () => {
  let sizes: Sizes;
  beforeAll(async () => {
    sizes = await measure(`export { createClient } from './index.ts';`);
  });

  it('loads less than 12 kB at first, with everything that its door offers, and no package', async () => {
    const whole = await measure(`export * from './index.ts';`);
    expect(whole.first).toBeLessThan(12_000);
    expect(whole.packages(undefined)).toEqual([]);
  });

  it('is less than 20 kB with the validator, not counting what reads a run; less than 40 kB with that too', () => {
    expect(sizes.first + sizes.beyond('answer-check')).toBeLessThan(20_000);
    const answering = sizes.first + sizes.beyond('engine') + sizes.beyond('answer-check', 'engine');
    expect(answering).toBeLessThan(40_000);
  });

  it('reads a run without JSON Patch, the validator and older forms, with less than 22 kB in all', () => {
    expect(sizes.packages('engine')).toEqual(['@ag-ui/core', 'eventsource-parser']);
    expect(sizes.first + sizes.beyond('engine')).toBeLessThan(22_000);
  });

  it('loads what is rare only when it comes', () => {
    expect(sizes.beyond('patch', 'engine')).toBeLessThan(4000);
    expect(sizes.beyond('chunks', 'engine')).toBeLessThan(2000);
    expect(sizes.beyond('other-forms', 'engine')).toBeLessThan(6000);
    expect(sizes.beyond('run-tools', 'engine')).toBeLessThan(2000);
    expect(sizes.beyond('inbox-requests', 'engine')).toBeLessThan(2000);
  });
});
