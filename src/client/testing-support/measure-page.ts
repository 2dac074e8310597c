import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import type { plainRun } from './plain-run.ts';

type Stage = Parameters<Parameters<typeof plainRun>[1]>[0];

/** Gzipped bytes that a page loads of the client when a bundler splits it. */
export interface PageSizes {
  /** The loaded chunks and their bytes at each stage. */
  readonly stages: ReadonlyMap<Stage | 'import' | (string & {}), ReadonlyMap<string, number>>;
  /** Gzipped bytes of everything loaded at a stage, as one file, so that the split does not matter. */
  total(stage: string): number;
  /** Bytes of each lazy chunk beyond a run and its answers. */
  readonly lazy: ReadonlyMap<string, number>;
  /** The packages loaded at a stage. */
  packages(stage: string): readonly string[];
}

const root = resolve(import.meta.dirname, '../../..');
const PLAIN: Stage = 'a run and an answer';

/** Bundles the page, runs it in its own process, and records which chunks it loads at each stage. */
export async function measurePage(program: string): Promise<PageSizes> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: join(root, 'src/client'), loader: 'ts', sourcefile: 'page.ts' },
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
  const contents = new Map(outputFiles.map(({ path, contents: bytes }) => [basename(path), bytes]));
  const size = (name: string) => gzipSync(contents.get(name) ?? '').length;
  const reach = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const { path, kind } of chunks.get(name)?.imports ?? []) {
      if (kind === 'import-statement') reach(basename(path), seen);
    }
    return seen;
  };
  const stages = new Map(
    Object.entries(await loadedChunks(contents)).map(([stage, names]) => [
      stage,
      new Map(names.map((name) => [name, size(name)])),
    ]),
  );
  const plain = stages.get(PLAIN) ?? new Map();
  const lazy = [...chunks].flatMap(([name, { entryPoint = '' }]) => {
    const beyond = [...reach(name)].filter((each) => !plain.has(each));
    const sum = beyond.reduce((bytes, each) => bytes + size(each), 0);
    return plain.has(name) || entryPoint === ''
      ? []
      : [[entryPoint.replace(/^src\/|(?:\/index)?\.ts$/g, ''), sum] as const];
  });
  return {
    stages,
    lazy: new Map(lazy),
    total(stage) {
      const names = [...(stages.get(stage)?.keys() ?? [])];
      return gzipSync(Buffer.concat(names.map((name) => contents.get(name) ?? Buffer.alloc(0)))).length;
    },
    packages(stage) {
      const names = [...(stages.get(stage)?.keys() ?? [])];
      const inputs = names.flatMap((name) => Object.entries(chunks.get(name)?.inputs ?? {}));
      const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
      return [...new Set(used.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))];
    },
  };
}

/** The names of the loaded chunks by stage. */
async function loadedChunks(contents: ReadonlyMap<string, Uint8Array>): Promise<Record<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-page-'));
  try {
    const scenario = await readFile(join(import.meta.dirname, 'plain-run.ts'), 'utf8');
    const { code } = await transform(scenario, { loader: 'ts' });
    const files = [
      ['package.json', '{"type":"module"}'],
      ['plain-run.js', code],
      ['main.js', MAIN],
      ...[...contents].map(([name, bytes]) => [
        name,
        `globalThis.loaded.push(${JSON.stringify(name)});${new TextDecoder().decode(bytes)}`,
      ]),
    ] as const;
    for (const [name = '', text = ''] of files) await writeFile(join(folder, name), text);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.js')]);
    return JSON.parse(stdout) as Record<string, string[]>;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const MAIN = `
globalThis.loaded = [];
const { plainRun } = await import('./plain-run.js');
const page = await import('./stdin.js');
const stages = { import: [...globalThis.loaded] };
await plainRun(page, (stage) => { stages[stage] = [...globalThis.loaded]; });
process.stdout.write(JSON.stringify(stages));
`;
