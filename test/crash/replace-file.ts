import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Program } from '../processes/processes.ts';
import type { RestorePlan } from './restore-child.ts';

/**
 * What happens to a database file under running processes:
 * - `restored`: `holdpoint restore` puts a backup in its place;
 * - `restored twice`: the first `holdpoint restore` is killed somewhere, a second one is not;
 * - `exchanged`: another program puts a backup in its place;
 * - `moved`: it is moved away with its logs, and back;
 * - `deleted`: it is deleted, and then `holdpoint restore` puts a backup in its place.
 */
export const REPLACEMENTS = ['restored', 'restored twice', 'exchanged', 'moved', 'deleted'] as const;
export type ReplacementKind = (typeof REPLACEMENTS)[number];

/** Kinds that leave the path without a file for a while. */
export function isAbsentMeanwhile(kind: ReplacementKind): boolean {
  return kind === 'moved' || kind === 'deleted';
}

export interface ReplaceFile {
  readonly kind: ReplacementKind;
  readonly path: string;
  readonly backup: string;
  /** The bundled `restore-child.ts`. */
  readonly restorer: Program;
  readonly random: () => number;
  /** Resolves when a process has noticed that the file is gone. */
  readonly noticed: () => Promise<void>;
}

const ENDS = ['', '-wal', '-shm'] as const;

/** Gives how often a backup took the place of the file: each time, a call that the backup does not know may run again. */
export async function replaceFile(options: ReplaceFile): Promise<number> {
  const { kind, path, backup, noticed } = options;
  switch (kind) {
    case 'restored':
      await restore(options);
      return 1;
    case 'restored twice': {
      const before = statSync(path).ino;
      await restore(options, options.random() * 250);
      // A kill may come after the exchange, or while a notice stands in place of the file.
      const isReplaced = statSync(path).ino !== before && isDatabase(path);
      await restore(options);
      return isReplaced ? 2 : 1;
    }
    case 'exchanged':
      copyFileSync(backup, `${path}.copy`);
      for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
      renameSync(`${path}.copy`, path);
      return 1;
    case 'moved':
      for (const end of ENDS) renameIfThere(path + end, `${path}.away${end}`);
      await noticed();
      for (const end of ENDS.toReversed()) renameIfThere(`${path}.away${end}`, path + end);
      return 0;
    case 'deleted':
      for (const end of ENDS) rmSync(path + end, { force: true });
      await noticed();
      await restore(options);
      return 1;
  }
}

function isDatabase(path: string): boolean {
  return readFileSync(path).subarray(0, 6).toString() === 'SQLite';
}

function renameIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

async function restore({ restorer, backup, path }: ReplaceFile, killAfterMs?: number): Promise<void> {
  const plan: RestorePlan = { backup, path };
  const child = restorer.start(plan);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (code !== 0 && !(killAfterMs !== undefined && signal === 'SIGKILL'))
    throw new Error(`The restore ended with ${String(code ?? signal)}.`);
}
