CREATE SCHEMA made_before;
CREATE TABLE made_before.migrations (
  version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE "made_before".rows (
  row_key text COLLATE "C" PRIMARY KEY,
  table_name text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  full_key text,
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  status text COLLATE "C",
  agent text COLLATE "C",
  reason text COLLATE "C",
  due_at double precision,
  doc text NOT NULL
) WITH (fillfactor = 85);
CREATE INDEX rows_by_scope ON "made_before".rows (table_name, scope, ordinal)
  WHERE table_name IN ('threads', 'interrupts', 'grants');
CREATE INDEX rows_by_thread ON "made_before".rows (table_name, scope, thread, ordinal) WHERE table_name <> 'threads';
CREATE INDEX rows_by_status ON "made_before".rows (table_name, scope, status, ordinal) WHERE table_name = 'interrupts';
CREATE INDEX rows_by_due ON "made_before".rows (table_name, scope, status, due_at, ordinal)
  WHERE due_at IS NOT NULL AND table_name = 'interrupts';
CREATE INDEX rows_to_do ON "made_before".rows (table_name, status, due_at, ordinal) WHERE due_at IS NOT NULL;

CREATE TABLE "made_before".log_heads (
  log text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  next bigint NOT NULL,
  PRIMARY KEY (log, scope, thread)
) WITH (fillfactor = 70);
CREATE TABLE "made_before".log_items (
  log_number bigint NOT NULL,
  sequence bigint NOT NULL,
  item text NOT NULL,
  PRIMARY KEY (log_number, sequence)
);

CREATE TABLE "made_before".changes (
  scope text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  full_key text,
  changed_at bigint NOT NULL,
  PRIMARY KEY (scope, thread)
) WITH (fillfactor = 70);

CREATE FUNCTION "made_before".now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $holdpoint$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$holdpoint$;

CREATE FUNCTION "made_before".commit_batches(batches jsonb, locks text[], exclusives boolean[])
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
    RAISE EXCEPTION USING ERRCODE = 'HP001', MESSAGE = 'commit_batches needs READ COMMITTED';
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
    moment := "made_before".now_ms();
    firsts := '{}';

    place := 0;
    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'expects')
        AS e("rowKey" text, expect numeric)
    LOOP
      SELECT r.version INTO actual FROM "made_before".rows r WHERE r.row_key = entry."rowKey";
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
          SELECT h.next INTO actual FROM "made_before".log_heads h
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
        DELETE FROM "made_before".rows r WHERE r.row_key = entry."rowKey";
      END LOOP;
    END IF;

    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'puts')
        AS p("rowKey" text, "table" text, scope text, thread text, id text, "fullKey" text, doc text,
             status text, agent text, reason text, "dueAt" double precision)
    LOOP
      INSERT INTO "made_before".rows AS r
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
      INSERT INTO "made_before".log_heads AS h (log, scope, thread, next)
      VALUES (entry.log, entry.scope, entry.thread, 1 + jsonb_array_length(entry.items))
      ON CONFLICT (log, scope, thread) DO UPDATE SET next = h.next + excluded.next - 1
      RETURNING h.number, h.next - jsonb_array_length(entry.items) INTO log_number, first_sequence;
      INSERT INTO "made_before".log_items (log_number, sequence, item)
        SELECT log_number, first_sequence + i.place - 1, i.item
        FROM jsonb_array_elements_text(entry.items) WITH ORDINALITY AS i(item, place);
      firsts := firsts || first_sequence;
    END LOOP;

    FOR entry IN
      SELECT * FROM jsonb_to_recordset(batch->'changes') AS c(scope text, thread text, "fullKey" text)
    LOOP
      INSERT INTO "made_before".changes AS c (scope, thread, full_key, changed_at)
      VALUES (entry.scope, entry.thread, entry."fullKey", moment)
      ON CONFLICT (scope, thread) DO UPDATE SET changed_at = greatest(c.changed_at, excluded.changed_at);
      -- A payload has less than 8,000 bytes; those who get an empty one look into the changes.
      payload := CASE WHEN entry."fullKey" IS NULL THEN jsonb_build_array(entry.scope, entry.thread)::text ELSE '' END;
      PERFORM pg_notify('holdpoint_bba4411101968ee16fd694edbb35c34e', payload);
    END LOOP;

    results := results || jsonb_build_object('now', moment, 'firsts', to_jsonb(firsts));
  END LOOP;
  RETURN results;
END
$holdpoint$;
INSERT INTO made_before.migrations (version, applied_at) VALUES ('1', '2026-11-16 02:19:10.094854+00');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('executions
acme
crashed
call-q5', 'executions', 'acme', 'crashed', 'call-q5', NULL, '34', '1', '1794795550300', NULL, NULL, NULL, NULL, '{"runId":"run-13","startedAt":1794795550296}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('executions
acme
crashed
call-q5/step', 'executions', 'acme', 'crashed', 'call-q5/step', NULL, '36', '1', '1794795550310', NULL, NULL, NULL, NULL, '{"runId":"run-13","startedAt":5}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('files
acme

a2a:task:assistant:1', 'files', 'acme', '', 'a2a:task:assistant:1', NULL, '28', '1', '1794795550285', 'a2a-task', 'assistant', 'context-1', NULL, '{"value":{"id":"1"}}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('files
acme
waiting
f1', 'files', 'acme', 'waiting', 'f1', NULL, '27', '1', '1794795550285', NULL, NULL, NULL, NULL, '{"id":"f1","name":"plan.pdf","data":"aGVsbG8="}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('grants
acme

g1', 'grants', 'acme', '', 'g1', NULL, '39', '1', '1794795550329', NULL, NULL, 'sendEmail', NULL, '{"toolName":"sendEmail","again":true}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('grants
acme
waiting
g2', 'grants', 'acme', 'waiting', 'g2', NULL, '26', '1', '1794795550285', NULL, NULL, 'sendEmail', NULL, '{"toolName":"sendEmail","threadId":"waiting"}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
answered
q3', 'interrupts', 'acme', 'answered', 'q3', NULL, '8', '2', '1794795550247', 'answered', 'assistant', 'tool_call', NULL, '{"interrupt":{"id":"q3","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q3","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}}},"state":"answered","batch":"batch-answered","agent":"assistant","runId":"run-9","askedBy":"ana","raisedAt":1794795550245,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]},"answer":{"status":"resolved","payload":{"approved":true},"by":"bob","at":1794795550265,"via":"inbox","digest":"f92d970fc726d4f26d31e186a03c200591eca064e46cf3128b317c0d50962a01"}}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
crashed
q5', 'interrupts', 'acme', 'crashed', 'q5', NULL, '16', '2', '1794795550259', 'claimed', 'assistant', 'tool_call', NULL, '{"interrupt":{"id":"q5","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q5","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}}},"state":"claimed","batch":"batch-crashed","agent":"assistant","runId":"run-11","askedBy":"ana","raisedAt":1794795550257,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]},"answer":{"status":"resolved","payload":{"approved":true},"by":"bob","at":1794795550296,"via":"ag-ui","digest":"f92d970fc726d4f26d31e186a03c200591eca064e46cf3128b317c0d50962a01"},"claimedBy":"run-13"}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
finished
q4', 'interrupts', 'acme', 'finished', 'q4', NULL, '12', '3', '1794795550253', 'resolved', 'assistant', 'tool_call', NULL, '{"interrupt":{"id":"q4","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q4","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}}},"state":"resolved","batch":"batch-finished","agent":"assistant","runId":"run-10","askedBy":"ana","raisedAt":1794795550252,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]},"answer":{"status":"resolved","payload":{"approved":true,"note":"\ud800"},"by":"bob","at":1794795550273,"via":"inbox","digest":"17336e3a34c6b3bb8a94767c367ccb7a3ac881bc62c46913fcbde1a3ec6599ee"},"claimedBy":"run-12","endedAt":1794795550281}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
new
q6', 'interrupts', 'acme', 'new', 'q6', NULL, '42', '1', '1794795550343', 'pending', 'assistant', 'tool_call', NULL, '{"interrupt":{"id":"q6","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q6","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}}},"state":"pending","batch":"batch-new","agent":"assistant","runId":"run-14","askedBy":"ana","raisedAt":1794795550341,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]}}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
waiting
q1', 'interrupts', 'acme', 'waiting', 'q1', NULL, '3', '2', '1794795550221', 'answered', 'assistant', 'tool_call', NULL, '{"interrupt":{"id":"q1","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q1","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}}},"state":"answered","batch":"batch-waiting","agent":"assistant","runId":"run-8","askedBy":"ana","raisedAt":1794795550215,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]},"answer":{"status":"resolved","payload":{"approved":false,"reason":"no"},"by":"bob","at":1794795550313,"via":"inbox","digest":"7ccec7f490d1842539e86f1664be7a93363418d0e290925412ad1f9e5c0f09fa"}}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('interrupts
acme
waiting
q2', 'interrupts', 'acme', 'waiting', 'q2', NULL, '4', '1', '1794795550221', 'pending', 'assistant', 'tool_call', '4070908800000', '{"interrupt":{"id":"q2","reason":"tool_call","message":"Please confirm sending $1,000.","toolCallId":"call-q2","responseSchema":{"type":"object"},"metadata":{"title":"Send $1,000 to Bob","toolName":"transferMoney","payload":{"amount":1000}},"expiresAt":"2099-01-01T00:00:00.000Z"},"state":"pending","batch":"batch-waiting","agent":"assistant","runId":"run-8","askedBy":"ana","raisedAt":1794795550215,"onExpire":"keep","approvers":{"roles":["manager"],"principals":["bob"]}}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
answered
run-9', 'runs', 'acme', 'answered', 'run-9', NULL, '9', '1', '1794795550247', 'interrupt', 'assistant', NULL, NULL, '{"agent":"assistant","status":"interrupt","epoch":1,"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"startedAt":1794795550241,"endedAt":1794795550245}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
crashed
run-11', 'runs', 'acme', 'crashed', 'run-11', NULL, '17', '1', '1794795550259', 'interrupt', 'assistant', NULL, NULL, '{"agent":"assistant","status":"interrupt","epoch":1,"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"startedAt":1794795550255,"endedAt":1794795550257}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
finished
run-10', 'runs', 'acme', 'finished', 'run-10', NULL, '13', '1', '1794795550253', 'interrupt', 'assistant', NULL, NULL, '{"agent":"assistant","status":"interrupt","epoch":1,"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"startedAt":1794795550248,"endedAt":1794795550252}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
finished
run-12', 'runs', 'acme', 'finished', 'run-12', NULL, '24', '1', '1794795550283', 'success', 'assistant', NULL, NULL, '{"agent":"assistant","status":"success","epoch":2,"principal":{"id":"bob","scope":"acme"},"startedAt":1794795550273,"endedAt":1794795550281}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
new
run-14', 'runs', 'acme', 'new', 'run-14', NULL, '43', '1', '1794795550343', 'interrupt', 'assistant', NULL, NULL, '{"agent":"assistant","status":"interrupt","epoch":1,"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"startedAt":1794795550331,"endedAt":1794795550341}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
acme
waiting
run-8', 'runs', 'acme', 'waiting', 'run-8', NULL, '5', '1', '1794795550221', 'interrupt', 'assistant', NULL, NULL, '{"agent":"assistant","status":"interrupt","epoch":1,"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"startedAt":1794795550196,"endedAt":1794795550215}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('runs
ü\u0000\\
\ud800\"\n
\udfff\\u0000', 'runs', 'ü\u0000\\', '\ud800\"\n', '\udfff\\u0000', NULL, '30', '1', '1794795550285', '\\', '\u0000', NULL, NULL, '{"odd":"\u0000\ud800","\u0000":1}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('secrets
acme
answered
q3', 'secrets', 'acme', 'answered', 'q3', NULL, '29', '1', '1794795550285', NULL, NULL, NULL, NULL, '{"keyId":"k","sealed":"AAAA"}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('threads
acme
answered
', 'threads', 'acme', 'answered', '', NULL, '6', '3', '1794795550243', 'ready', 'assistant', NULL, '1794795550265', '{"agent":"assistant","epoch":1,"state":{},"logs":{"messages":2,"events":2},"chain":{"count":2,"hash":"83fdb0eb30e7602e0e83017bbb824dea03045449844323ae06849e8c0856f09e"},"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"lastRun":"run-9","title":"About answered","turn":{"saved":true},"batch":{"id":"batch-answered","interruptIds":["q3"]},"restedAt":1794795550245,"readyAt":1794795550265}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('threads
acme
crashed
', 'threads', 'acme', 'crashed', '', NULL, '14', '4', '1794795550256', 'active', 'assistant', NULL, '1794795551296', '{"agent":"assistant","epoch":2,"state":{},"logs":{"messages":2,"events":3},"chain":{"count":3,"hash":"2462c383c8235bdf0c43dba0bbb3f4e7b0b5fd675ea86708d30aa6074dd37e2f"},"principal":{"id":"bob","scope":"acme"},"lastRun":"run-13","title":"About crashed","turn":{"saved":true},"askers":["ana"],"active":{"runId":"run-13","leaseUntil":1794795551296,"startedAt":1794795550296,"eventsBefore":2,"writes":1},"claimed":["q5"]}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('threads
acme
finished
', 'threads', 'acme', 'finished', '', NULL, '10', '4', '1794795550250', 'idle', 'assistant', NULL, '1794795550281', '{"agent":"assistant","epoch":2,"state":{},"logs":{"messages":3,"events":5},"chain":{"count":4,"hash":"4e4fc471418eb7f5d265e001a5ffaa68111f6cd88f91c34076400c411407d1f0"},"principal":{"id":"bob","scope":"acme"},"lastRun":"run-12","title":"About finished","askers":["ana"],"restedAt":1794795550281,"endedAt":1794795550281}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('threads
acme
new
', 'threads', 'acme', 'new', '', NULL, '40', '2', '1794795550333', 'waiting', 'assistant', NULL, '1794795550341', '{"agent":"assistant","epoch":1,"state":{},"logs":{"messages":2,"events":2},"chain":{"count":1,"hash":"f7595facfbc2abd04e3d2743aa72430583ebdc07589f33bb6390701fd2c6465d"},"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"lastRun":"run-14","title":"About new","turn":{"saved":true},"batch":{"id":"batch-new","interruptIds":["q6"]},"restedAt":1794795550341}');
INSERT INTO made_before.rows (row_key, table_name, scope, thread, id, full_key, ordinal, version, created_at, status, agent, reason, due_at, doc) OVERRIDING SYSTEM VALUE VALUES ('threads
acme
waiting
', 'threads', 'acme', 'waiting', '', NULL, '1', '3', '1794795550201', 'waiting', 'assistant', NULL, '1794795550215', '{"agent":"assistant","epoch":1,"state":{},"logs":{"messages":2,"events":2},"chain":{"count":3,"hash":"54d68fb7e98db1b488a343737a2b57027cb695ce38167b32a2a2bae525847fd1"},"principal":{"id":"ana","scope":"acme","roles":["clerk"]},"lastRun":"run-8","title":"About waiting","turn":{"saved":true},"batch":{"id":"batch-waiting","interruptIds":["q1","q2"]},"restedAt":1794795550215}');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'finished', '12', '6');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'waiting', '4', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'new', '33', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'answered', '8', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'trimmed', '24', '6');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'acme', 'crashed', '16', '4');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('events', 'ü\u0000\\', '\ud800\"\n', '22', '5');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('history', 'acme', 'finished', '10', '5');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('history', 'acme', 'crashed', '14', '4');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('history', 'acme', 'new', '31', '2');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('history', 'acme', 'answered', '6', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('history', 'acme', 'waiting', '2', '4');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'finished', '9', '4');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'answered', '5', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'waiting', '1', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'crashed', '13', '3');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'trimmed', '23', '5');
INSERT INTO made_before.log_heads (log, scope, thread, number, next) OVERRIDING SYSTEM VALUE VALUES ('messages', 'acme', 'new', '30', '3');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('1', '1', '{"id":"m-waiting","role":"user","content":"Hello \u0000 waiting"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('1', '2', '{"id":"a-waiting","role":"assistant","content":"One moment."}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('2', '1', '{"what":"raised","interruptId":"q1","at":1794795550215,"runId":"run-8","previous":"","hash":"e9eaa1565698d2acd7c55856aa487f7dd56448dd2fb1769dddf8f0016ae1b2a6"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('2', '2', '{"what":"raised","interruptId":"q2","at":1794795550215,"runId":"run-8","previous":"e9eaa1565698d2acd7c55856aa487f7dd56448dd2fb1769dddf8f0016ae1b2a6","hash":"e3c8dc68e646727101b55bdd482f4d89d05f0d71d6441265124af3bf39db3d33"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('2', '3', '{"what":"staged","interruptId":"q1","at":1794795550313,"by":"bob","via":"inbox","status":"resolved","payload":{"approved":false,"reason":"no"},"latency":98,"previous":"e3c8dc68e646727101b55bdd482f4d89d05f0d71d6441265124af3bf39db3d33","hash":"54d68fb7e98db1b488a343737a2b57027cb695ce38167b32a2a2bae525847fd1"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('4', '1', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('4', '2', '{"type":"RUN_FINISHED","\u0000":1}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('5', '1', '{"id":"m-answered","role":"user","content":"Hello \u0000 answered"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('5', '2', '{"id":"a-answered","role":"assistant","content":"One moment."}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('6', '1', '{"what":"raised","interruptId":"q3","at":1794795550245,"runId":"run-9","previous":"","hash":"4954c9a099ebe153b1f7329b29b75a4adc48e6b3b69171b2fbfe186895b38ae1"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('6', '2', '{"what":"staged","interruptId":"q3","at":1794795550265,"by":"bob","via":"inbox","status":"resolved","payload":{"approved":true},"latency":20,"previous":"4954c9a099ebe153b1f7329b29b75a4adc48e6b3b69171b2fbfe186895b38ae1","hash":"83fdb0eb30e7602e0e83017bbb824dea03045449844323ae06849e8c0856f09e"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('8', '1', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('8', '2', '{"type":"RUN_FINISHED","\u0000":1}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('9', '1', '{"id":"m-finished","role":"user","content":"Hello \u0000 finished"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('9', '2', '{"id":"a-finished","role":"assistant","content":"One moment."}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('9', '3', '{"id":"t-1","role":"tool","content":"\"sent\""}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('10', '1', '{"what":"raised","interruptId":"q4","at":1794795550252,"runId":"run-10","previous":"","hash":"a735e0c5d0350b4bb6090c6ebdcf92f2d5b257b32af21e091c48edc4c4083b36"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('10', '2', '{"what":"staged","interruptId":"q4","at":1794795550273,"by":"bob","via":"inbox","status":"resolved","payload":{"approved":true,"note":"\ud800"},"latency":21,"previous":"a735e0c5d0350b4bb6090c6ebdcf92f2d5b257b32af21e091c48edc4c4083b36","hash":"046792c93fd3e9c2325408001ac78213ca340fe67e7188851cc28a6f6120d5f4"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('10', '3', '{"what":"claimed","interruptId":"q4","at":1794795550273,"by":"bob","runId":"run-12","previous":"046792c93fd3e9c2325408001ac78213ca340fe67e7188851cc28a6f6120d5f4","hash":"a9e3d8b83a6702b751d76239cdc56a517cf25f365efd99772c9cb29f41788c65"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('10', '4', '{"what":"settled","interruptId":"q4","at":1794795550281,"runId":"run-12","previous":"a9e3d8b83a6702b751d76239cdc56a517cf25f365efd99772c9cb29f41788c65","hash":"4e4fc471418eb7f5d265e001a5ffaa68111f6cd88f91c34076400c411407d1f0"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('12', '1', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('12', '2', '{"type":"RUN_FINISHED","\u0000":1}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('12', '3', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('12', '4', '{"type":"TOOL_CALL_RESULT"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('12', '5', '{"type":"RUN_FINISHED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('13', '1', '{"id":"m-crashed","role":"user","content":"Hello \u0000 crashed"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('13', '2', '{"id":"a-crashed","role":"assistant","content":"One moment."}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('14', '1', '{"what":"raised","interruptId":"q5","at":1794795550257,"runId":"run-11","previous":"","hash":"087aa71bc9086dc36850c4b93ccf442c9ff5d275de36c41e533fb2061041e883"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('14', '2', '{"what":"staged","interruptId":"q5","at":1794795550296,"by":"bob","via":"ag-ui","status":"resolved","payload":{"approved":true},"latency":39,"previous":"087aa71bc9086dc36850c4b93ccf442c9ff5d275de36c41e533fb2061041e883","hash":"31f7efa338f8f88543fd7ce013a65b722fa763da72c7c801f508858cc1e411cd"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('14', '3', '{"what":"claimed","interruptId":"q5","at":1794795550296,"by":"bob","runId":"run-13","previous":"31f7efa338f8f88543fd7ce013a65b722fa763da72c7c801f508858cc1e411cd","hash":"2462c383c8235bdf0c43dba0bbb3f4e7b0b5fd675ea86708d30aa6074dd37e2f"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('16', '1', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('16', '2', '{"type":"RUN_FINISHED","\u0000":1}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('16', '3', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('22', '1', '1');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('22', '2', '"two"');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('22', '3', 'null');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('22', '4', '{"\u0000":"\ud800"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('23', '4', '"d"');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('24', '3', '3');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('24', '4', '4');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('24', '5', '{"five":"\u0000"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('30', '1', '{"id":"m-new","role":"user","content":"Hello \u0000 new"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('30', '2', '{"id":"a-new","role":"assistant","content":"One moment."}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('31', '1', '{"what":"raised","interruptId":"q6","at":1794795550341,"runId":"run-14","previous":"","hash":"f7595facfbc2abd04e3d2743aa72430583ebdc07589f33bb6390701fd2c6465d"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('33', '1', '{"type":"RUN_STARTED"}');
INSERT INTO made_before.log_items (log_number, sequence, item) VALUES ('33', '2', '{"type":"RUN_FINISHED","\u0000":1}');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'answered', NULL, '1794795550285');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'crashed', NULL, '1794795550310');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'finished', NULL, '1794795550283');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'gone', NULL, '1794795550327');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'new', NULL, '1794795550343');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'trimmed', NULL, '1794795550331');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('acme', 'waiting', NULL, '1794795550317');
INSERT INTO made_before.changes (scope, thread, full_key, changed_at) VALUES ('ü\u0000\\', '\ud800\"\n', NULL, '1794795550285');
SELECT setval(pg_get_serial_sequence('made_before.rows', 'ordinal'), (SELECT max(ordinal) FROM made_before.rows));
SELECT setval(pg_get_serial_sequence('made_before.log_heads', 'number'), (SELECT max(number) FROM made_before.log_heads));
