import { commitFunction } from './commit-function.ts';
import type { SchemaNames } from './schema-names.ts';

/**
 * What made the schema, in order: the first entry leads to version 1. Entries are only ever added; what one has
 * released may be running somewhere, so a function that changes gets a new name.
 */
export const MIGRATIONS: readonly ((names: SchemaNames) => string)[] = [
  (names) => `${tables(names)}\n${commitFunction(names)}`,
];

/**
 * Keys compare by bytes (`COLLATE "C"`): the same on every server, and faster. A row is found by one column that has the
 * whole key, so that no other index can seem as good to a plan that was made when the table was small. Each index holds only
 * what somebody looks through by it: a row that changes is written again into every index that has it.
 */
function tables({ quoted }: SchemaNames): string {
  return `
CREATE TABLE ${quoted}.rows (
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
CREATE INDEX rows_by_scope ON ${quoted}.rows (table_name, scope, ordinal)
  WHERE table_name IN ('threads', 'interrupts', 'grants');
CREATE INDEX rows_by_thread ON ${quoted}.rows (table_name, scope, thread, ordinal) WHERE table_name <> 'threads';
CREATE INDEX rows_by_status ON ${quoted}.rows (table_name, scope, status, ordinal) WHERE table_name = 'interrupts';
CREATE INDEX rows_by_due ON ${quoted}.rows (table_name, scope, status, due_at, ordinal)
  WHERE due_at IS NOT NULL AND table_name = 'interrupts';
CREATE INDEX rows_to_do ON ${quoted}.rows (table_name, status, due_at, ordinal) WHERE due_at IS NOT NULL;

CREATE TABLE ${quoted}.log_heads (
  log text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  next bigint NOT NULL,
  PRIMARY KEY (log, scope, thread)
) WITH (fillfactor = 70);
CREATE TABLE ${quoted}.log_items (
  log_number bigint NOT NULL,
  sequence bigint NOT NULL,
  item text NOT NULL,
  PRIMARY KEY (log_number, sequence)
);

CREATE TABLE ${quoted}.changes (
  scope text COLLATE "C" NOT NULL,
  thread text COLLATE "C" NOT NULL,
  full_key text,
  changed_at bigint NOT NULL,
  PRIMARY KEY (scope, thread)
) WITH (fillfactor = 70);

CREATE FUNCTION ${quoted}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $holdpoint$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$holdpoint$;`;
}
