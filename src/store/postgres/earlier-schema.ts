import type { JsonObject, JsonValue } from '../../core/index.ts';
import type { SqlValue } from '../dialect.ts';
import type { Progress } from '../earlier-rows.ts';
import { indexEarlierRow, PIECE } from '../earlier-rows.ts';
import { logValues } from '../encode-batch.ts';
import type { Column } from '../row-columns.ts';
import { putColumns, putValues } from '../row-columns.ts';
import { sealThread } from '../history-chain.ts';
import { toStored } from '../stored-text.ts';
import { LOG_NAMES, TABLE_NAMES } from '../tables.ts';
import type { QueryClient } from './connect.ts';
import { queryRows } from './connect.ts';
import { isDigest } from './dialect.ts';
import type { TextRow } from './driver.ts';
import type { SchemaNames } from './schema.ts';
import { logColumns, readValue, tablesSql } from './schema.ts';

/** The backup keeps these tables with the suffix `_schema_1`. */
export const EARLIER_TABLES = ['rows', 'log_items', 'log_heads'] as const;

/**
 * Moves the rows of schema version 1 (`rows` and `log_items`) into the present tables, in the open transaction.
 */
export async function moveEarlierRows(
  client: QueryClient,
  names: SchemaNames,
  onProgress: Progress = () => undefined,
): Promise<void> {
  const { quoted, dialect } = names;
  // From here on a process of the earlier release cannot write: its tables are renamed and its function is dropped.
  for (const table of EARLIER_TABLES) {
    await queryRows(client, `ALTER TABLE ${quoted}.${table} RENAME TO ${table}_schema_1`);
    await queryRows(client, `ALTER INDEX ${quoted}.${table}_pkey RENAME TO ${table}_schema_1_pkey`);
  }
  await queryRows(client, `DROP FUNCTION ${quoted}.commit_batches(jsonb, text[], boolean[])`);
  await queryRows(client, tablesSql(names));
  const [counted] = await queryRows(
    client,
    `SELECT (SELECT count(*) FROM ${quoted}.rows_schema_1) + (SELECT count(*) FROM ${quoted}.log_items_schema_1)`,
  );
  const total = Number(counted?.[0]);
  let done = 0;
  /** Reads rows in pieces and inserts the converted rows. */
  const move = async (into: Target, select: string, toValues: (row: TextRow) => SqlValue[]) => {
    await queryRows(client, `DECLARE earlier NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const rows = await queryRows(client, `FETCH ${PIECE} FROM earlier`);
      if (rows.length === 0) break;
      const values = into.columns.map(({ type }, at) => readValue(type, 'e', at));
      await queryRows(
        client,
        `INSERT INTO ${quoted}.${into.table} (${into.columns.map(({ name }) => name).join(', ')})
         SELECT ${values.join(', ')} FROM jsonb_array_elements($1::jsonb) AS e`,
        [JSON.stringify(rows.map(toValues))],
      );
      done += rows.length;
      onProgress({ done: Math.min(done, total), total });
    }
    await queryRows(client, 'CLOSE earlier');
  };
  for (const table of TABLE_NAMES) {
    await move(
      { table, columns: [...ROW_COLUMNS, ...putColumns(table)] },
      `SELECT scope, thread, id, full_key, ordinal, version, created_at, doc, status, agent, reason, due_at
       FROM ${quoted}.rows_schema_1 WHERE table_name = '${table}' ORDER BY ordinal`,
      ([
        scope,
        thread,
        id,
        fullKey = null,
        ordinal = null,
        version = null,
        createdAt = null,
        doc,
        ...earlier
      ]) => {
        const text = doc ?? '{}';
        const kept = earlier.map((value) => (value === null ? null : plain(value)));
        const index = indexEarlierRow(table, JSON.parse(text) as JsonObject, kept);
        const key = [keyPart(scope), keyPart(thread), keyPart(id), fullKey];
        return [...key, ordinal, version, createdAt, ...putValues(dialect, table, { doc: text, index })];
      },
    );
    await queryRows(
      client,
      `SELECT setval(pg_get_serial_sequence($1, 'ordinal'), (SELECT coalesce(max(ordinal), 0) + 1 FROM ${quoted}.${table}), false)`,
      [`${quoted}.${table}`],
    );
  }
  for (const log of LOG_NAMES) {
    await move(
      { table: log, columns: [...PLACE_COLUMNS, { name: 'sequence', type: 'bigint' }, ...logColumns(log)] },
      `SELECT h.scope, h.thread, i.sequence, i.item FROM ${quoted}.log_items_schema_1 i
       JOIN ${quoted}.log_heads_schema_1 h ON h.number = i.log_number WHERE h.log = '${log}'`,
      ([scope, thread, sequence = null, item]) => {
        const text = item ?? 'null';
        const doc = log === 'events' ? `[${text}]` : text;
        return [
          keyPart(scope),
          keyPart(thread),
          sequence,
          doc,
          ...logValues(log, JSON.parse(text) as JsonValue),
        ];
      },
    );
  }
  // The ends of logs without items.
  await move(
    { table: 'log_heads', columns: [...PLACE_COLUMNS, ...HEAD_COLUMNS] },
    `SELECT scope, thread, log, next FROM ${quoted}.log_heads_schema_1 h
     WHERE NOT EXISTS (SELECT 1 FROM ${quoted}.log_items_schema_1 i WHERE i.log_number = h.number)`,
    ([scope, thread, ...head]) => [keyPart(scope), keyPart(thread), ...head],
  );
  // Its names have the form of version 1, and processes of that version can no longer commit.
  await queryRows(client, `TRUNCATE ${quoted}.changes`);
}

/** Seals the history of every thread anew, in the open transaction: versions before 4 have values in the hashes. */
export async function sealHistories(client: QueryClient, { quoted }: SchemaNames): Promise<void> {
  await queryRows(
    client,
    `DECLARE earlier NO SCROLL CURSOR FOR SELECT t.scope, t.thread, t.doc FROM ${quoted}.threads t
     WHERE EXISTS (SELECT 1 FROM ${quoted}.history h WHERE h.scope = t.scope AND h.thread = t.thread)`,
  );
  for (;;) {
    const threads = await queryRows(client, `FETCH ${PIECE} FROM earlier`);
    if (threads.length === 0) break;
    for (const [scope = null, thread = null, text] of threads) {
      const place = [scope, thread];
      const rows = await queryRows(
        client,
        `SELECT sequence, doc FROM ${quoted}.history WHERE scope = $1 AND thread = $2 ORDER BY sequence`,
        place,
      );
      const doc = JSON.parse(text ?? '{}') as JsonObject;
      const sealed = sealThread(
        doc,
        rows.map(([, entry]) => JSON.parse(entry ?? '{}') as JsonObject),
      );
      if (sealed === undefined) continue;
      await queryRows(
        client,
        `UPDATE ${quoted}.threads SET doc = $3::json, version = version + 1 WHERE scope = $1 AND thread = $2`,
        [...place, JSON.stringify(sealed.doc)],
      );
      const entries = sealed.entries.map((entry, at) => [rows[at]?.[0] ?? null, JSON.stringify(entry)]);
      await queryRows(
        client,
        `UPDATE ${quoted}.history h SET doc = (e->>1)::json FROM jsonb_array_elements($3::jsonb) AS e
         WHERE h.scope = $1 AND h.thread = $2 AND h.sequence = (e->>0)::bigint`,
        [...place, JSON.stringify(entries)],
      );
    }
  }
  await queryRows(client, 'CLOSE earlier');
}

interface Target {
  readonly table: string;
  readonly columns: readonly Column[];
}

const columnsOf = (type: Column['type'], ...names: readonly string[]) =>
  names.map((name) => ({ name, type }));
const PLACE_COLUMNS: readonly Column[] = columnsOf('text', 'scope', 'thread');
const HEAD_COLUMNS: readonly Column[] = [...columnsOf('text', 'log'), ...columnsOf('bigint', 'next')];
const ROW_COLUMNS: readonly Column[] = [
  ...columnsOf('text', 'scope', 'thread', 'id', 'full_key'),
  ...columnsOf('bigint', 'ordinal', 'version', 'created_at'),
];

/** A key part; a digest stays unchanged. */
function keyPart(column: string | null | undefined): string {
  return isDigest(column ?? '') ? (column ?? '') : toStored(plain(column ?? ''));
}

/** Version 1 escaped text as JSON does. */
function plain(column: string): string {
  return column.includes('\\') ? (JSON.parse(`"${column}"`) as string) : column;
}
