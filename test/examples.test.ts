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

/** The programs that check their own result. Clients start their server. Example 01 has its own test. */
const programs = files.filter(
  (path) => /^\d\d-[^/]+\/[^/]+\.ts$/.test(path) && !path.endsWith('/server.ts') && !path.startsWith('01-'),
);

const run = promisify(execFile);
/** A folder with its own lock file. */
const page = join(folder, '16-react-app/page');

describe('the examples', () => {
  let database = '';
  beforeAll(async () => {
    database = await createDatabase();
    if (existsSync(join(page, 'node_modules'))) return;
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: page, shell: process.platform === 'win32' });
  }, 300_000);

  it('the examples are numbered without gaps and listed in the README', () => {
    const folders = readdirSync(folder).filter((name) => /^\d\d-/.test(name));
    expect(folders.map((name) => Number(name.slice(0, 2)))).toEqual(
      Array.from({ length: 17 }, (_, n) => n + 1),
    );
    const list = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(folders.filter((name) => !list.includes(`](${name}`))).toEqual([]);
  });

  it.each(programs)('%s passes its own check', async (path) => {
    const args = ['--conditions=holdpoint-source', '--import', 'tsx', join(folder, path), '--check'];
    const { stdout } = await run(process.execPath, args, {
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
