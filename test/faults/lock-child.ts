/** A process that locks and unlocks a SQLite file when its parent says so. */
import { loadLibsql } from '../../src/store/sqlite/driver.ts';

export type LockCommand = 'lock' | 'unlock' | 'end';

const { path } = JSON.parse(process.argv[2] ?? '{}') as { readonly path: string };
const libsql = loadLibsql();
const database = new libsql(path);
// A host may write at the moment the lock is asked for: wait for it instead of failing.
database.exec('PRAGMA busy_timeout = 60000');

process.on('message', (wish: LockCommand) => {
  if (wish === 'end') {
    database.close();
    process.disconnect();
    return;
  }
  database.exec(wish === 'lock' ? 'BEGIN EXCLUSIVE' : 'ROLLBACK');
  process.send?.(wish);
});
