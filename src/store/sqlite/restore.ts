import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HoldpointError } from '../../core/index.ts';
import type { Store } from '../store.ts';
import { openDatabase } from './connect.ts';
import { sqliteStore } from './create-store.ts';
import { copyDatabase, isNotice, modeOf, NOTICE, PRIVATE } from './driver.ts';
import { storeFailure } from './errors.ts';
import { assertHoldpoint } from './inspect.ts';

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
 * commit, and opens the restored file. The restored file has the permissions of the previous one; without one, only
 * its owner can read it. The previous file is kept as `<path>.replaced`; returns its path, if there was one. Throws `STORE_FAILED`, also for
 * a backup that is not a Holdpoint database, and then leaves the database unchanged. If the process is killed while the files change places,
 * nobody can open the database until it is restored again.
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
    if (!existsSync(backup)) throw new HoldpointError('STORE_FAILED', `There is no backup at ${backup}.`);
    assertHoldpoint(backup);
    removeDatabase(restored);
    copyDatabase(backup, restored, existsSync(path) ? modeOf(path) : PRIVATE);
    const { connection } = await openDatabase(restored, { mustExist: true });
    connection.renew(Date.now());
    connection.close();
    const store = sqliteStore(restored);
    try {
      await prepare?.(store);
    } finally {
      await store.close();
    }
    const replacement = replaceFile(path, copyClosed(restored));
    let step = replacement.next();
    while (step.done !== true) step = replacement.next();
    return step.value;
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
  rmSync(copyOf(path), { force: true });
  // Fails for a link that another user puts in the place.
  copyFileSync(path, copyOf(path), constants.COPYFILE_EXCL);
  const file = openSync(copyOf(path), 'r+');
  fsyncSync(file);
  closeSync(file);
  return copyOf(path);
}

/**
 * Replaces the file at a path, with a step between two yields. SQLite finds the logs of a file by name, so a notice takes the place
 * of the file while its logs move: no process opens the previous file without its log, which holds the newest commits. Processes that
 * have the file open notice that it is gone before they acknowledge a commit. A later call continues after a kill.
 */
export function* replaceFile(path: string, restored: string): Generator<void, string | undefined> {
  const replaced = `${path}.replaced`;
  const hasFile = existsSync(path);
  if (hasFile && !isNotice(path)) {
    removeDatabase(replaced);
    yield;
    linkSync(path, replaced);
    yield;
    writeNotice(path, `${restored}.notice`);
    yield;
  }
  for (const log of LOGS) {
    if (!hasFile || !existsSync(path + log)) continue;
    renameSync(path + log, replaced + log);
    yield;
  }
  syncFolder(path);
  renameSync(restored, path);
  syncFolder(path);
  return hasFile ? replaced : undefined;
}

function writeNotice(path: string, draft: string): void {
  rmSync(draft, { force: true });
  writeFileSync(draft, NOTICE, { flag: 'wx', flush: true, mode: modeOf(path) });
  renameSync(draft, path);
  syncFolder(path);
}

/** Makes renames survive a power cut. Windows cannot open a folder, and keeps the order of its renames. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

const LOGS = ['-wal', '-shm'] as const;

function removeDatabase(path: string): void {
  for (const end of ['', ...LOGS]) rmSync(path + end, { force: true });
}
