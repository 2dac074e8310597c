// Runs every folder under integration/ with the packages of its own lock file: the real frameworks, unmodified.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../integration');
const only = process.argv.slice(2);
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => only.length === 0 || only.includes(name));

if (names.length === 0) {
  console.error('No integration folder was found.');
  process.exit(1);
}

const failed = [];
for (const name of names) {
  console.log(`\n== integration/${name}`);
  const cwd = resolve(root, name);
  const ok = [['ci', '--no-audit', '--no-fund'], ['test']].every(
    (args) => spawnSync('npm', args, { cwd, stdio: 'inherit' }).status === 0,
  );
  if (!ok) failed.push(name);
}

console.log(`\n${names.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) process.exit(1);
