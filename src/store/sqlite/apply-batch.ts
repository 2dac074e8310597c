import { logKey } from '../row-text.ts';
import type { CommitResult, LogName, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import type { FrozenBatch } from './freeze-batch.ts';
import { logPlace } from './freeze-batch.ts';
import type { SqlValue } from './libsql.ts';
import { keyParameters } from './row-columns.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/** The first thing in a batch that is not as it expects, in the order of the contract: checks, puts, deletes, appends. */
export function findConflict(connection: Connection, batch: FrozenBatch): Conflict | undefined {
  for (const { table, key, version } of batch.expectations) {
    if (isLog(table)) {
      if (nextOf(connection, logPlace({ log: table, ...key })) !== version) return logKey(table, key);
    } else {
      const sql = `SELECT version FROM ${table} WHERE scope = ? AND thread = ? AND id = ?`;
      if (connection.number(sql, keyParameters(key)) !== version) return { table, ...key };
    }
  }
  return undefined;
}

/** Writes a batch that has no conflict; the caller holds the write lock. Gives the sequence of each append. */
export function applyBatch(connection: Connection, batch: FrozenBatch, now: number): number[] {
  for (const { table, key } of batch.deletes) {
    connection.run(`DELETE FROM ${table} WHERE scope = ? AND thread = ? AND id = ?`, key);
  }
  for (const { table, columns } of batch.puts) {
    connection.run(
      `INSERT INTO ${table} (scope, thread, id, version, created_at, status, agent, reason, due_at, doc)
       VALUES (?1, ?2, ?3, 1, ?9, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (scope, thread, id) DO UPDATE SET version = version + 1, status = excluded.status,
         agent = excluded.agent, reason = excluded.reason, due_at = excluded.due_at, doc = excluded.doc`,
      [...columns, now],
    );
  }
  return batch.appends.map(({ place, items }) => {
    const first = nextOf(connection, place);
    for (const [offset, item] of items.entries()) {
      connection.run('INSERT INTO logs (log, scope, thread, sequence, item) VALUES (?, ?, ?, ?, ?)', [
        ...place,
        first + offset,
        item,
      ]);
    }
    return first;
  });
}

const SELECT_LAST =
  'SELECT sequence FROM logs WHERE log = ? AND scope = ? AND thread = ? ORDER BY sequence DESC LIMIT 1';
const SELECT_HEAD = 'SELECT next FROM log_heads WHERE log = ? AND scope = ? AND thread = ?';

/** The sequence that the next item of a log gets: after its last, or, when all was trimmed, where it was then. */
function nextOf(connection: Connection, place: readonly SqlValue[]): number {
  const last = connection.value(SELECT_LAST, place);
  return last === undefined || last === null
    ? Number(connection.value(SELECT_HEAD, place) ?? 1)
    : Number(last) + 1;
}

const isLog = (table: TableName | LogName): table is LogName =>
  table === 'messages' || table === 'history' || table === 'events';
