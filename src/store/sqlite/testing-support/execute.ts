import { loadLibsql } from '../driver.ts';

/** Executes SQL in a file that others may have open, by a connection of its own. */
export function execute(path: string, sql: string): void {
  const libsql = loadLibsql();
  const database = new libsql(path);
  try {
    database.exec('PRAGMA busy_timeout = 10000');
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** Makes a backup of a file that others may have open, as `docs/database.md` says. */
export function backUp(from: string, to: string): void {
  execute(from, `VACUUM INTO '${to}'`);
}
