import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { HoldpointError } from '../../core/index.ts';
import type { Store } from '../store.ts';
import { openDatabase } from './connect.ts';
import { sqliteStore } from './create-store.ts';
import { copyDatabase } from './driver.ts';
import { storeFailure } from './errors.ts';

/** What to restore, and where. */
export interface RestoreSqlite {
  /** A SQLite file: a copy of a closed one, or the result of `VACUUM INTO` or `.backup`. It stays unchanged. */
  readonly backup: string;
  /** The file of the database. It may be missing. */
  readonly path: string;
  /** Changes the restored database before any process sees it. Default: leaves it as it is; hosts mark its threads when they use them. */
  readonly prepare?: (store: Store) => Promise<void>;
}

/**
 * Replaces a database by a backup, also under running processes: each notices before it acknowledges its next
 * commit, and opens the restored file. The previous file is kept as `<path>.replaced`; returns its path, if there
 * was one. Throws `STORE_FAILED` and then leaves the database unchanged.
 *
 * @example
 * ```ts
 * import { restoreSqlite } from 'holdpoint/store/sqlite';
 *
 * const replaced = await restoreSqlite({ backup: 'backup.db', path: 'holdpoint.db' });
 * console.log(`The previous file is ${replaced ?? 'missing'}.`);
 * ```
 */
export async function restoreSqlite({ backup, path, prepare }: RestoreSqlite): Promise<string | undefined> {
  const restored = `${path}.restoring`;
  try {
    removeDatabase(restored);
    if (!existsSync(backup)) throw new HoldpointError('STORE_FAILED', `There is no backup at ${backup}.`);
    copyDatabase(backup, restored);
    const { connection } = await openDatabase(restored, { mustExist: true });
    connection.renew(Date.now());
    connection.close();
    const store = sqliteStore(restored);
    try {
      await prepare?.(store);
    } finally {
      await store.close();
    }
    return replace(path, copyClosed(restored));
  } catch (error) {
    throw storeFailure(backup, error);
  } finally {
    removeDatabase(restored);
    rmSync(copyOf(restored), { force: true });
  }
}

const copyOf = (path: string) => `${path}.copy`;

/**
 * Copies the file under a new path, because the driver may hold a closed file for a while, and SQLite would then use
 * outdated state of it.
 */
function copyClosed(path: string): string {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new HoldpointError('STORE_FAILED', `The SQLite file ${path} is still in use.`);
  }
  copyFileSync(path, copyOf(path));
  const file = openSync(copyOf(path), 'r+');
  fsyncSync(file);
  closeSync(file);
  return copyOf(path);
}

/**
 * One rename puts the new file in, so there is always a file. The logs are removed first, because SQLite finds them
 * by name.
 */
function replace(path: string, restored: string): string | undefined {
  const replaced = existsSync(path) ? `${path}.replaced` : undefined;
  if (replaced !== undefined) {
    removeDatabase(replaced);
    linkSync(path, replaced);
    for (const log of LOGS) if (existsSync(path + log)) renameSync(path + log, replaced + log);
  }
  renameSync(restored, path);
  return replaced;
}

const LOGS = ['-wal', '-shm'] as const;

function removeDatabase(path: string): void {
  for (const end of ['', ...LOGS]) rmSync(path + end, { force: true });
}
