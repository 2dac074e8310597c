import { HoldpointError, messageOf } from '../../core/index.ts';

/** Whether another connection holds a lock, so that the call can be repeated. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY') || isRestoring(error);
}

/** The error for a file that `holdpoint restore` is replacing. It is final only if the restore was killed. */
export function restoring(path: string): HoldpointError {
  return new HoldpointError(
    'STORE_FAILED',
    `A restore of ${path} was interrupted: run \`holdpoint restore\` again. The previous file is ${path}.replaced.`,
    { details: { restoring: true } },
  );
}

function isRestoring(error: unknown): boolean {
  return HoldpointError.is(error, 'STORE_FAILED') && error.details?.['restoring'] === true;
}

/** The `STORE_FAILED` for an error of SQLite, with the next step. Our own errors stay unchanged. */
export function storeFailure(path: string, cause: unknown): HoldpointError {
  if (HoldpointError.is(cause)) return cause;
  return new HoldpointError('STORE_FAILED', `The SQLite file ${path} ${describe(cause)}.`, { cause });
}

function describe(error: unknown): string {
  const code = codeOf(error);
  const said = messageOf(error);
  const found = SENTENCES.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) return found[1];
  // libsql gives no code if a file cannot be opened.
  if (said.startsWith('ConnectionFailed')) return CANNOT_OPEN;
  return `could not be used: ${said}`;
}

const CANNOT_OPEN =
  'cannot be opened: see that its folder is there and that this process may read and write in it';

const SENTENCES: readonly (readonly [prefix: string, sentence: string])[] = [
  ['SQLITE_BUSY', 'is locked by another process: see which one holds it, and try again'],
  ['SQLITE_FULL', 'cannot grow: the disk is full; free some space, and try again'],
  ['SQLITE_READONLY', 'is read-only: see that this process may write to it and to its folder'],
  ['SQLITE_CORRUPT', 'is damaged: restore it from a backup, or repair it with `sqlite3 <file> .recover`'],
  ['SQLITE_NOTADB', 'is not an SQLite database: see that the path names the right file'],
  ['SQLITE_CANTOPEN', CANNOT_OPEN],
  ['SQLITE_PERM', CANNOT_OPEN],
  ['SQLITE_IOERR', 'could not be read or written: see that its disk is there and healthy'],
  ['SQLITE_TOOBIG', 'cannot hold something this large: keep it outside of the store'],
];

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
