import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-pictures-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `npm run screenshots` and returns the names of its pictures. */
async function take(option: string): Promise<readonly string[]> {
  const to = join(folder, option);
  const script = ['--import', 'tsx', '--conditions=holdpoint-source', 'scripts/screenshots.ts', to, option];
  await promisify(execFile)(process.execPath, script, { cwd: root });
  for (const name of readdirSync(to)) expect(statSync(join(to, name)).size).toBeGreaterThan(5000);
  return readdirSync(to).toSorted();
}

it('the script of the pictures shows every kind of card, every page, and those of the README', async () => {
  const names = await take('--quick');
  expect(names.length).toBeGreaterThan(15);
  expect(names).toEqual(expect.arrayContaining(['audit-wide-light.png', 'card-transfer-wide-light.png']));
  expect(await take('--readme')).toEqual(['approve.png', 'card.png', 'inbox.png']);
});
