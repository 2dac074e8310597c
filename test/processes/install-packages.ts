import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Installs the packages of a test folder with its own lock file, and prints their purpose, because it takes a while. */
export async function installPackages(name: string, what: string): Promise<void> {
  console.log(`Installing ${what} (npm ci in test/${name}) …`);
  const child = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: join(import.meta.dirname, '..', name),
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0)
    throw new Error(`npm ci in test/${name} failed with ${code}: what needs ${what} cannot run.`);
}
