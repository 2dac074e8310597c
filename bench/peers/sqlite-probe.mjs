import { readFile } from 'node:fs/promises';

// `connect` opens the file with the contender's own driver: two copies of SQLite in one process do not see each other's
// locks.

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** Reads the write-ahead log: a frame is a page, and the last frame of a commit says how large the file is now. */
export async function walOfSqlite({ connect }, { file, work }) {
  const database = connect();
  try {
    const [[busy]] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().all();
    if (busy !== 0) throw new Error(`The log of ${file} could not be emptied.`);
    // A reader of an old state keeps the log from being emptied.
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').all();
    await work();
    const log = await readFile(`${file}-wal`);
    database.exec('ROLLBACK');
    return { commits: countCommits(log), walBytes: log.length };
  } finally {
    database.close();
  }
}

function countCommits(log) {
  if (log.length === 0) return 0;
  const frame = FRAME_HEADER + log.readUInt32BE(8);
  let commits = 0;
  for (let at = WAL_HEADER; at + frame <= log.length; at += frame)
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  return commits;
}

/** Counts by triggers what is inserted, updated or deleted, and the bytes of the columns of what is written. */
export async function rowsOfSqlite({ connect }, work) {
  const database = connect();
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
      )
      .raw()
      .all();
    database.exec(
      'CREATE TABLE bench_writes (rows INTEGER, bytes INTEGER); INSERT INTO bench_writes VALUES (0, 0)',
    );
    for (const [table] of tables) {
      const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).raw().all(table);
      const bytes = columns.map(([name]) => `ifnull(length(CAST(NEW."${name}" AS BLOB)), 0)`).join(' + ');
      for (const [event, size] of [
        ['INSERT', bytes],
        ['UPDATE', bytes],
        ['DELETE', '0'],
      ]) {
        database.exec(`CREATE TRIGGER "bench_${event}_${table}" AFTER ${event} ON "${table}" BEGIN
          UPDATE bench_writes SET rows = rows + 1, bytes = bytes + (${size}); END`);
      }
    }
    await work();
    const [[rows, bytes]] = database.prepare('SELECT rows, bytes FROM bench_writes').raw().all();
    return { rows, bytes };
  } finally {
    database.close();
  }
}
