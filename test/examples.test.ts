import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from './postgres/create-database.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'examples');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
  .toSorted();

/** Programs that check their own result. Clients start their server; 01 is older than the host and has a test of its own. */
const programs = files.filter(
  (path) => /^\d\d-[^/]+\/[^/]+\.ts$/.test(path) && !path.endsWith('/server.ts') && !path.startsWith('01-'),
);

const run = promisify(execFile);
/** Packages of its own, as `integration/` and `test/postgres` have them. */
const page = join(folder, '16-react-app/page');

describe('the examples', () => {
  let database = '';
  beforeAll(async () => {
    database = await createDatabase();
    if (existsSync(join(page, 'node_modules'))) return;
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: page, shell: process.platform === 'win32' });
  }, 300_000);

  it('are all there, by their numbers, and in the list', () => {
    const folders = readdirSync(folder).filter((name) => /^\d\d-/.test(name));
    expect(folders.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 17 }, (_, n) => n + 1),
    );
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(folders.filter((name) => !list.includes(`](${name}`))).toEqual([]);
  });

  it.each(programs)('%s runs and finds its own result right', async (path) => {
    const args = ['--conditions=holdpoint-source', '--import', 'tsx', join(folder, path), '--check'];
    const { stdout } = await run(process.execPath, args, {
      cwd: root,
      env: { ...process.env, DATABASE_URL: database },
    });
    expect(stdout).not.toBe('');
  });

  it('have types, the React page too', async () => {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', page]);
  });

  it.each(files)('%s is short enough to copy', (path) => {
    expect(readFileSync(join(folder, path), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  });
});
