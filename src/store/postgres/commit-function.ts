import { WRONG_ISOLATION } from './postgres-errors.ts';
import type { SchemaNames } from './schema-names.ts';

/**
 * SQL that makes `commit_batches`: several batches in one round trip and one transaction, each of which holds or fails
 * by itself.
 *
 * The locks come first, sorted, so that no two commits can wait for each other. They are locks on names and not on rows,
 * because a row that must not be there has nothing to lock. In READ COMMITTED each statement sees what was committed
 * before it began, so what is read after the locks is what their last holder left. What a batch seldom has is left out of it,
 * and then costs no statement.
 */
export function commitFunction({ quoted, channel }: SchemaNames): string {
  return `
CREATE FUNCTION ${quoted}.commit_batches(batches jsonb, locks text[], exclusives boolean[])
RETURNS jsonb LANGUAGE plpgsql AS $holdpoint$
DECLARE
  batch jsonb;
  entry record;
  place integer;
  actual bigint;
  moment bigint;
  log_number bigint;
  first_sequence bigint;
  firsts bigint[];
  results jsonb := '[]';
  payload text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = '${WRONG_ISOLATION}', MESSAGE = 'commit_batches needs READ COMMITTED';
  END IF;

  FOR place IN 1 .. cardinality(locks) LOOP
    IF exclusives[place] THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(locks[place], 0));
    ELSE
      PERFORM pg_advisory_xact_lock_shared(hashtextextended(locks[place], 0));
    END IF;
  END LOOP;

  <<each_batch>>
  FOR batch IN SELECT value FROM jsonb_array_elements(batches) LOOP
    moment := ${quoted}.now_ms();
    firsts := '{}';

    place := 0;
    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'expects')
        AS e("rowKey" text, expect numeric)
    LOOP
      SELECT r.version INTO actual FROM ${quoted}.rows r WHERE r.row_key = entry."rowKey";
      IF coalesce(actual, 0) IS DISTINCT FROM entry.expect THEN
        results := results || jsonb_build_object('row', place);
        CONTINUE each_batch;
      END IF;
      place := place + 1;
    END LOOP;

    IF batch ? 'expectsNext' THEN
      place := 0;
      FOR entry IN
        SELECT * FROM jsonb_to_recordset(batch->'appends')
          AS a(log text, scope text, thread text, "expectNext" numeric)
      LOOP
        IF entry."expectNext" IS NOT NULL THEN
          SELECT h.next INTO actual FROM ${quoted}.log_heads h
            WHERE h.log = entry.log AND h.scope = entry.scope AND h.thread = entry.thread;
          IF coalesce(actual, 1) <> entry."expectNext" THEN
            results := results || jsonb_build_object('log', place);
            CONTINUE each_batch;
          END IF;
        END IF;
        place := place + 1;
      END LOOP;
    END IF;

    IF batch ? 'deletes' THEN
      -- One by one: a plan for several, made while the table is small, would go through all of it later.
      FOR entry IN SELECT * FROM jsonb_array_elements_text(batch->'deletes') AS d("rowKey") LOOP
        DELETE FROM ${quoted}.rows r WHERE r.row_key = entry."rowKey";
      END LOOP;
    END IF;

    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'puts')
        AS p("rowKey" text, "table" text, scope text, thread text, id text, "fullKey" text, doc text,
             status text, agent text, reason text, "dueAt" double precision)
    LOOP
      INSERT INTO ${quoted}.rows AS r
        (row_key, table_name, scope, thread, id, full_key, version, created_at, status, agent, reason, due_at, doc)
      VALUES
        (entry."rowKey", entry."table", entry.scope, entry.thread, entry.id, entry."fullKey", 1, moment,
         entry.status, entry.agent, entry.reason, entry."dueAt", entry.doc)
      ON CONFLICT (row_key) DO UPDATE SET
        version = r.version + 1, status = excluded.status, agent = excluded.agent,
        reason = excluded.reason, due_at = excluded.due_at, doc = excluded.doc;
    END LOOP;

    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'appends')
        AS a(log text, scope text, thread text, items jsonb)
    LOOP
      INSERT INTO ${quoted}.log_heads AS h (log, scope, thread, next)
      VALUES (entry.log, entry.scope, entry.thread, 1 + jsonb_array_length(entry.items))
      ON CONFLICT (log, scope, thread) DO UPDATE SET next = h.next + excluded.next - 1
      RETURNING h.number, h.next - jsonb_array_length(entry.items) INTO log_number, first_sequence;
      INSERT INTO ${quoted}.log_items (log_number, sequence, item)
        SELECT log_number, first_sequence + i.place - 1, i.item
        FROM jsonb_array_elements_text(entry.items) WITH ORDINALITY AS i(item, place);
      firsts := firsts || first_sequence;
    END LOOP;

    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'changes') AS c(scope text, thread text, "fullKey" text)
    LOOP
      INSERT INTO ${quoted}.changes AS c (scope, thread, full_key, changed_at)
      VALUES (entry.scope, entry.thread, entry."fullKey", moment)
      ON CONFLICT (scope, thread) DO UPDATE SET changed_at = greatest(c.changed_at, excluded.changed_at);
      -- A payload has less than 8,000 bytes; those who get an empty one look into the changes.
      payload := CASE WHEN entry."fullKey" IS NULL THEN jsonb_build_array(entry.scope, entry.thread)::text ELSE '' END;
      PERFORM pg_notify('${channel}', payload);
    END LOOP;

    results := results || jsonb_build_object('now', moment, 'firsts', to_jsonb(firsts));
  END LOOP;
  RETURN results;
END
$holdpoint$;`;
}
