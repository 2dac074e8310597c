import { logKey } from '../row-text.ts';
import type { CommitResult, LogName, TableName } from '../store.ts';
import type { Connection } from './connection.ts';
import type { FrozenBatch } from './freeze-batch.ts';
import { logPlace } from './freeze-batch.ts';
import { keyParameters } from './row-columns.ts';

type Conflict = Extract<CommitResult, { ok: false }>['conflict'];

/** The first thing in a batch that is not as it expects, in the order of the contract: checks, puts, deletes, appends. */
export function findConflict(connection: Connection, batch: FrozenBatch): Conflict | undefined {
  for (const { table, key, version } of batch.expectations) {
    if (isLog(table)) {
      const next = connection.value(SELECT_NEXT, logPlace({ log: table, ...key })) ?? 1;
      if (next !== version) return logKey(table, key);
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
    const first = Number(connection.value(SELECT_NEXT, place) ?? 1);
    connection.run(
      `INSERT INTO log_heads (log, scope, thread, next) VALUES (?, ?, ?, ?)
       ON CONFLICT (log, scope, thread) DO UPDATE SET next = excluded.next`,
      [...place, first + items.length],
    );
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

const SELECT_NEXT = 'SELECT next FROM log_heads WHERE log = ? AND scope = ? AND thread = ?';

const isLog = (table: TableName | LogName): table is LogName =>
  table === 'messages' || table === 'history' || table === 'events';
