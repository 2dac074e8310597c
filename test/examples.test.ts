import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from './postgres/create-database.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'examples');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
  .toSorted();

/** The programs that check their own result. Clients start their server. Example 01 has its own test. */
const programs = files.filter(
  (path) => /^\d\d-[^/]+\/[^/]+\.ts$/.test(path) && !path.endsWith('/server.ts') && !path.startsWith('01-'),
);

const run = promisify(execFile);
/** Programs of a folder that reads its own files or starts processes run as they are. */
const isBundled = (path: string) =>
  files
    .filter((file) => file.startsWith(`${path.split('/')[0]}/`))
    .every(
      (file) =>
        !/import\.meta\.dirname|new URL\('|spawn|fork\(/.test(readFileSync(join(folder, file), 'utf8')),
    );
/** Loading the sources by tsx takes longer than most programs run, so they are bundled first, all at once. */
const bundles = join(root, '.cache/examples');
/** A folder with its own lock file. */
const page = join(folder, '16-react-app/page');

describe('the examples', () => {
  let database = '';
  beforeAll(async () => {
    database = await createDatabase();
    await build({
      // A server is an entry too, so that it stays a module of its own.
      entryPoints: files
        .filter((path) => /^\d\d-/.test(path) && isBundled(path))
        .map((path) => join(folder, path)),
      outdir: bundles,
      outbase: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      external: ['libsql', 'pg', 'pg-native', '@ag-ui/*', '@a2a-js/*'],
      conditions: ['holdpoint-source'],
    });
    if (existsSync(join(page, 'node_modules'))) return;
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: page, shell: process.platform === 'win32' });
  }, 300_000);

  afterAll(() => rmSync(bundles, { recursive: true, force: true }));

  it('the examples are numbered without gaps and listed in the README', () => {
    const folders = readdirSync(folder).filter((name) => /^\d\d-/.test(name));
    expect(folders.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 17 }, (_, n) => n + 1),
    );
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    const apps = readdirSync(join(folder, 'apps')).map((name) => `apps/${name}`);
    expect([...folders, ...apps].filter((name) => !list.includes(`](${name})`))).toEqual([]);
  });

  it.each(['agent.mjs', 'check.mjs', 'server.mjs'])(
    'every app that has a file %s has the same one',
    (name) => {
      const copies = readdirSync(join(folder, 'apps'))
        .map((app) => join(folder, 'apps', app, name))
        .filter((path) => existsSync(path));
      expect(copies.length).toBeGreaterThan(5);
      expect(new Set(copies.map((path) => readFileSync(path, 'utf8'))).size).toBe(1);
    },
  );

  it.each(programs)('%s passes its own check', async (path) => {
    const args = isBundled(path)
      ? [join(bundles, path.replace(/ts$/, 'js'))]
      : ['--conditions=holdpoint-source', '--import', 'tsx', join(folder, path)];
    const { stdout } = await run(process.execPath, [...args, '--check'], {
      cwd: root,
      env: { ...process.env, DATABASE_URL: database },
    });
    expect(stdout).not.toBe('');
  });

  it('compile, the React page included', async () => {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', page]);
  });

  it.each(files)('%s has at most 80 lines', (path) => {
    expect(readFileSync(join(folder, path), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  });
});
