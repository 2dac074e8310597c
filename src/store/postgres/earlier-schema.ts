import type { JsonObject, JsonValue } from '../../core/index.ts';
import { indexEarlierRow } from '../index-earlier-row.ts';
import type { LogName, TableName } from '../store.ts';
import { toStored } from '../stored-text.ts';
import { LOG_NAMES, LOGS, TABLE_NAMES, TABLES } from '../tables.ts';
import type { TextRow } from './connect.ts';
import { queryRows } from './connect.ts';
import type { PostgresClient } from './driver.ts';
import { logColumns } from './encode-batch.ts';
import { indexValues, isDigest, sqlType } from './row-columns.ts';
import type { SchemaNames } from './schema.ts';
import { tablesSql } from './schema.ts';

/** Rows that are read at once. */
const PIECE = 1000;

/** How far a migration is. */
export type Progress = (progress: { readonly done: number; readonly total: number }) => void;

/** They stay, under these names and `_schema_1`, as the backup. */
export const EARLIER_TABLES = ['rows', 'log_items', 'log_heads'] as const;

/** Moves what schema version 1 kept in `rows` and `log_items` into the tables of version 2, in the open transaction. */
export async function moveEarlierRows(
  client: PostgresClient,
  names: SchemaNames,
  onProgress: Progress = () => undefined,
): Promise<void> {
  const { quoted } = names;
  // A process of the release before cannot write from here on: its tables have other names, and its function goes.
  for (const table of EARLIER_TABLES) {
    await queryRows(client, `ALTER TABLE ${quoted}.${table} RENAME TO ${table}_schema_1`);
    await queryRows(client, `ALTER INDEX ${quoted}.${table}_pkey RENAME TO ${table}_schema_1_pkey`);
  }
  await queryRows(client, `DROP FUNCTION ${quoted}.commit_batches(jsonb, text[], boolean[])`);
  await client.query({ text: tablesSql(names), types: { getTypeParser: () => String } });
  const [counted] = await queryRows(
    client,
    `SELECT (SELECT count(*) FROM ${quoted}.rows_schema_1) + (SELECT count(*) FROM ${quoted}.log_items_schema_1) AS total`,
  );
  const total = Number(counted?.['total']);
  let done = 0;
  const each = async (select: string, move: (rows: readonly TextRow[]) => Promise<void>) => {
    await queryRows(client, `DECLARE earlier NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const rows = await queryRows(client, `FETCH ${PIECE} FROM earlier`);
      if (rows.length === 0) break;
      await move(rows);
      done += rows.length;
      onProgress({ done, total });
    }
    await queryRows(client, 'CLOSE earlier');
  };
  for (const table of TABLE_NAMES) {
    await each(
      `SELECT * FROM ${quoted}.rows_schema_1 WHERE table_name = '${table}' ORDER BY ordinal`,
      (rows) => insertRows(client, { quoted, table }, rows),
    );
    await queryRows(
      client,
      `SELECT setval(pg_get_serial_sequence($1, 'ordinal'), (SELECT coalesce(max(ordinal), 0) + 1 FROM ${quoted}.${table}), false)`,
      [`${quoted}.${table}`],
    );
  }
  for (const log of LOG_NAMES) {
    await each(
      `SELECT h.scope, h.thread, i.sequence, i.item FROM ${quoted}.log_items_schema_1 i
       JOIN ${quoted}.log_heads_schema_1 h ON h.number = i.log_number WHERE h.log = '${log}'`,
      (rows) => insertItems(client, { quoted, log }, rows),
    );
  }
  await moveHeads(client, quoted);
  // Its names are as version 1 wrote them, and its processes can no longer commit.
  await queryRows(client, `TRUNCATE ${quoted}.changes`);
}

async function insertRows(
  client: PostgresClient,
  { quoted, table }: { readonly quoted: string; readonly table: TableName },
  rows: readonly TextRow[],
): Promise<void> {
  const index = TABLES[table].map(({ name }) => `, ${name}`).join('');
  const types = TABLES[table].map(({ name, type }) => `, ${name} ${sqlType(type)}`).join('');
  const entries = rows.map((row) => {
    const { status = null, agent = null, reason = null, due_at: dueAt = null, doc } = row;
    const earlier = {
      ...(status === null ? {} : { status: plain(status) }),
      ...(agent === null ? {} : { agent: plain(agent) }),
      ...(reason === null ? {} : { reason: plain(reason) }),
      ...(dueAt === null ? {} : { dueAt: Number(dueAt) }),
    };
    return {
      ordinal: row['ordinal'],
      version: row['version'],
      created_at: row['created_at'],
      full_key: row['full_key'],
      doc,
      ...keyOf(row),
      id: keyPart(row['id']),
      ...indexValues(table, indexEarlierRow(table, earlier, JSON.parse(doc ?? '{}') as JsonObject)),
    };
  });
  await queryRows(
    client,
    `INSERT INTO ${quoted}.${table} (ordinal, scope, thread, id, full_key, version, created_at, doc${index})
     SELECT ordinal, scope, thread, id, full_key, version, created_at, doc::json${index}
     FROM jsonb_to_recordset($1::jsonb) AS r(ordinal bigint, scope text, thread text, id text, full_key text,
       version bigint, created_at bigint, doc text${types})`,
    [JSON.stringify(entries)],
  );
}

async function insertItems(
  client: PostgresClient,
  { quoted, log }: { readonly quoted: string; readonly log: LogName },
  rows: readonly TextRow[],
): Promise<void> {
  const columns = LOGS[log].map(({ name }) => `, ${name}`).join('');
  const types = LOGS[log].map(({ name, type }) => `, ${name} ${sqlType(type)}`).join('');
  const entries = rows.map((row) => {
    const item = row['item'] ?? 'null';
    return {
      ...keyOf(row),
      sequence: row['sequence'],
      doc: log === 'events' ? `[${item}]` : item,
      ...logColumns(log, JSON.parse(item) as JsonValue),
    };
  });
  await queryRows(
    client,
    `INSERT INTO ${quoted}.${log} (scope, thread, sequence, doc${columns})
     SELECT scope, thread, sequence, doc::json${columns}
     FROM jsonb_to_recordset($1::jsonb) AS r(scope text, thread text, sequence bigint, doc text${types})`,
    [JSON.stringify(entries)],
  );
}

/** Where logs ended of which nothing is left. */
async function moveHeads(client: PostgresClient, quoted: string): Promise<void> {
  const heads = await queryRows(
    client,
    `SELECT log, scope, thread, next FROM ${quoted}.log_heads_schema_1 h
     WHERE NOT EXISTS (SELECT 1 FROM ${quoted}.log_items_schema_1 i WHERE i.log_number = h.number)`,
  );
  const entries = heads.map((head) => ({ log: head['log'], next: head['next'], ...keyOf(head) }));
  await queryRows(
    client,
    `INSERT INTO ${quoted}.log_heads (scope, thread, log, next)
     SELECT scope, thread, log, next FROM jsonb_to_recordset($1::jsonb)
       AS r(scope text, thread text, log text, next bigint)`,
    [JSON.stringify(entries)],
  );
}

function keyOf(row: TextRow): { readonly scope: string; readonly thread: string } {
  return { scope: keyPart(row['scope']), thread: keyPart(row['thread']) };
}

/** A part of a key: a digest stays what it is. */
function keyPart(column: string | null | undefined): string {
  return isDigest(column ?? '') ? (column ?? '') : toStored(plain(column ?? ''));
}

/** Version 1 escaped text as JSON does. */
function plain(column: string): string {
  return column.includes('\\') ? (JSON.parse(`"${column}"`) as string) : column;
}
