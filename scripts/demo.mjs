// `npm run demo`: builds the web pages if they are missing or outdated, then starts the demo from source.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { register } from 'tsx/esm/api';

const root = join(import.meta.dirname, '..');
const page = join(root, 'dist/ui/index.html');

/** The time of the newest file in a folder. */
function newest(folder) {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return Math.max(...files.map((file) => statSync(join(file.parentPath ?? file.path, file.name)).mtimeMs));
}

const sources = ['ui', 'src/elements', 'src/client'].filter((folder) => existsSync(join(root, folder)));
const isBuilt = existsSync(page) && sources.every((folder) => newest(folder) <= statSync(page).mtimeMs);
if (!isBuilt) {
  process.stdout.write('Building the web pages … ');
  const built = spawnSync(process.execPath, [join(root, 'ui/build.mjs')], { encoding: 'utf8' });
  process.stdout.write(built.status === 0 ? 'done.\n' : `failed:\n${built.stderr}\n`);
}

// The demo runs in this process, so that no second one keeps the port when this one is killed.
process.chdir(root);
process.argv.splice(2, 0, 'demo');
register();
await import('../src/cli/main.ts');
