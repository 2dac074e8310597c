import { putColumns } from '../row-columns.ts';
import type { LogName, TableName } from '../store.ts';
import { LOG_NAMES, TABLE_NAMES } from '../tables.ts';
import { WRONG_ISOLATION } from './errors.ts';
import type { SchemaNames } from './schema.ts';
import { logColumns, readValue } from './schema.ts';

/**
 * SQL that makes `commit_batches_5`: several batches in one round trip and one transaction, each of which holds or fails by
 * itself; and `trim_log_5`. A later schema that changes a function gives it a new name and drops the old one, so that a process
 * that was open before writes nothing more.
 *
 * The function takes its locks first, sorted, so that no two commits can wait for each other. It locks names and not rows,
 * because a row that must not exist cannot be locked. In READ COMMITTED each statement sees all commits before its start, so
 * a read after the locks sees the commit of their last holder.
 *
 * The batches come in waves (see `wave.ts`). The batches of a wave touch different rows and logs, so one statement writes all rows
 * of a table. A wave leaves out the parts that it does not need; these parts cost no statement.
 */
export function functionsSql({ quoted, channel }: SchemaNames): string {
  const perTable = (part: string, sql: (table: TableName) => string) =>
    TABLE_NAMES.map(
      (table) => `
      IF wave->'${part}' ? '${table}' THEN${sql(table)}
      END IF;`,
    ).join('');
  const perLog = (part: string, sql: (log: LogName) => string) =>
    LOG_NAMES.map(
      (log) => `
      IF wave->'${part}' ? '${log}' THEN${sql(log)}
      END IF;`,
    ).join('');
  const isGood = 'NOT (e->>0)::int = ANY (refused)';
  /** A subquery for each element, because a join could read the whole table. */
  const checkVersions = (table: TableName) => `
        SELECT conflicts || coalesce(jsonb_agg(jsonb_build_array(e->0, e->1)), '[]') INTO conflicts
        FROM jsonb_array_elements(wave->'expect'->'${table}') AS e
        WHERE coalesce((SELECT r.version FROM ${quoted}.${table} r
          WHERE r.scope = e->>2 AND r.thread = e->>3 AND r.id = e->>4), 0) IS DISTINCT FROM (e->>5)::numeric;`;
  const nextSequence = (log: LogName) => `coalesce(
          (SELECT max(l.sequence) + 1 FROM ${quoted}.${log} l WHERE l.scope = e->>2 AND l.thread = e->>3),
          (SELECT h.next FROM ${quoted}.log_heads h WHERE h.scope = e->>2 AND h.thread = e->>3 AND h.log = '${log}'), 1)`;
  const checkEnds = (log: LogName) => `
        SELECT conflicts || coalesce(jsonb_agg(jsonb_build_array(e->0, e->1)), '[]') INTO conflicts
        FROM jsonb_array_elements(wave->'expectNext'->'${log}') AS e
        WHERE ${nextSequence(log)} IS DISTINCT FROM (e->>4)::numeric;`;
  const remove = (table: TableName) => `
        DELETE FROM ${quoted}.${table} WHERE ctid = ANY (ARRAY(
          SELECT (SELECT r.ctid FROM ${quoted}.${table} r WHERE r.scope = e->>1 AND r.thread = e->>2 AND r.id = e->>3)
          FROM jsonb_array_elements(wave->'deletes'->'${table}') AS e WHERE ${isGood}));`;
  const put = (table: TableName) => {
    const names = putColumns(table).map(({ name }) => name);
    const values = putColumns(table).map(({ type }, at) => readValue(type, 'e', at + 6));
    return `
        INSERT INTO ${quoted}.${table} AS r (scope, thread, id, full_key, version, created_at, ${names.join(', ')})
        SELECT e->>2, e->>3, e->>4, e->>5, (e->>1)::bigint, moment, ${values.join(', ')}
        FROM jsonb_array_elements(wave->'puts'->'${table}') AS e WHERE ${isGood}
        ON CONFLICT (scope, thread, id) DO UPDATE SET version = r.version + excluded.version,
          ${names.map((name) => `${name} = excluded.${name}`).join(', ')};`;
  };
  const append = (log: LogName) => {
    const columns = logColumns(log);
    const values = columns.map(({ type }, at) => readValue(type, 'log_row', at + 1));
    return `
        WITH ends AS MATERIALIZED (
          SELECT e, ${nextSequence(log)} AS next
          FROM jsonb_array_elements(wave->'appends'->'${log}') AS e WHERE ${isGood}
        ), added AS (
          INSERT INTO ${quoted}.${log} (scope, thread, sequence, ${columns.map(({ name }) => name).join(', ')})
          SELECT e->>2, e->>3, next + (log_row->>0)::bigint, ${values.join(', ')}
          FROM ends CROSS JOIN LATERAL jsonb_array_elements(e->4) AS log_row
        )
        SELECT firsts || coalesce(jsonb_agg(jsonb_build_array(e->0, e->1, next)), '[]') INTO firsts FROM ends;`;
  };
  const rewrites = logColumns('history').map(
    ({ name, type }, at) => `${name} = ${readValue(type, 'e', at + 4)}`,
  );
  return `
CREATE FUNCTION ${quoted}.commit_batches_5(waves jsonb, locks text[], exclusives boolean[])
RETURNS jsonb LANGUAGE plpgsql AS $holdpoint$
DECLARE
  wave jsonb;
  moment bigint;
  conflicts jsonb;
  refused int[];
  firsts jsonb;
  results jsonb := '[]';
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = '${WRONG_ISOLATION}', MESSAGE = 'commit_batches needs READ COMMITTED';
  END IF;

  PERFORM CASE WHEN is_exclusive THEN pg_advisory_xact_lock(hashtextextended(name, 0))
    ELSE pg_advisory_xact_lock_shared(hashtextextended(name, 0)) END
  FROM unnest(locks, exclusives) AS lock(name, is_exclusive);

  FOR wave IN SELECT value FROM jsonb_array_elements(waves) LOOP
    moment := ${quoted}.now_ms();
    conflicts := '[]';
    refused := '{}';
    firsts := '[]';

    IF wave ? 'expect' THEN${perTable('expect', checkVersions)}
    END IF;
    IF wave ? 'expectNext' THEN${perLog('expectNext', checkEnds)}
    END IF;
    IF conflicts <> '[]' THEN
      refused := ARRAY(SELECT (e->>0)::int FROM jsonb_array_elements(conflicts) AS e);
    END IF;

    IF wave ? 'deletes' THEN${perTable('deletes', remove)}
    END IF;
    IF wave ? 'puts' THEN${perTable('puts', put)}
    END IF;
    IF wave ? 'appends' THEN${perLog('appends', append)}
    END IF;
    IF wave ? 'rewrites' THEN
      UPDATE ${quoted}.history l SET ${rewrites.join(', ')}
      FROM jsonb_array_elements(wave->'rewrites') AS e
      WHERE l.scope = e->>1 AND l.thread = e->>2 AND l.sequence = (e->>3)::bigint AND ${isGood};
    END IF;
    IF wave ? 'changes' THEN
      INSERT INTO ${quoted}.changes AS c (scope, thread, full_key, changed_at)
      SELECT e->>1, e->>2, e->>4, moment FROM jsonb_array_elements(wave->'changes') AS e WHERE ${isGood}
      ON CONFLICT (scope, thread) DO UPDATE SET changed_at = greatest(c.changed_at, excluded.changed_at);
      -- A payload has less than 8,000 bytes; those who get an empty one look into the changes.
      PERFORM pg_notify('${channel}', CASE WHEN e->>4 IS NULL THEN jsonb_build_array(e->1, e->2)::text ELSE '' END)
      FROM jsonb_array_elements(wave->'changes') AS e WHERE ${isGood};
    END IF;

    results := results || jsonb_build_object('now', moment, 'conflicts', conflicts, 'firsts', firsts);
  END LOOP;
  RETURN results;
END
$holdpoint$;

CREATE FUNCTION ${quoted}.trim_log_5(lock text, log_name text, in_scope text, in_thread text, through bigint)
RETURNS void LANGUAGE plpgsql AS $holdpoint$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(lock, 0));
  CASE log_name
        ${LOG_NAMES.map((log) => `WHEN '${log}' THEN ${trimSql(quoted, log)};`).join('\n        ')}
  END CASE;
END
$holdpoint$;`;
}

/** Removes rows; of a row of events that has some before and some after, it keeps those after. */
function trimSql(quoted: string, log: LogName): string {
  const isIn = 'l.scope = in_scope AND l.thread = in_thread';
  const split = `;
          UPDATE ${quoted}.events l SET doc = (
            SELECT ('[' || string_agg(e.value::text, ',' ORDER BY e.place) || ']')::json
            FROM json_array_elements(l.doc) WITH ORDINALITY AS e(value, place)
            WHERE l.sequence - json_array_length(l.doc) + e.place > through)
          WHERE ${isIn} AND l.sequence > through AND l.sequence - json_array_length(l.doc) < through`;
  return `INSERT INTO ${quoted}.log_heads AS h (scope, thread, log, next)
            SELECT in_scope, in_thread, '${log}', max(l.sequence) + 1 FROM ${quoted}.${log} l WHERE ${isIn} HAVING count(*) > 0
            ON CONFLICT (scope, thread, log) DO UPDATE SET next = excluded.next;
          DELETE FROM ${quoted}.${log} l WHERE ${isIn} AND l.sequence <= through${log === 'events' ? split : ''}`;
}
