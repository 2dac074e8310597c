import type { Dialect } from '../dialect.ts';
import type { LogName, TableName } from '../store.ts';
import { SECRET_MEMBER } from '../search-text.ts';
import { toStored } from '../stored-text.ts';
import { KEPT_BY_KEY } from '../tables.ts';

/** The dialect of SQLite. */
export const SQLITE: Dialect = {
  table: (name) => name,
  // Without the hint, SQLite would walk a whole scope in order instead of sorting the few rows of one thread.
  tableOfThread: (name) => (KEPT_BY_KEY.has(name) ? name : `${name} INDEXED BY ${name}_key`),
  parameter: (number) => `?${number}`,
  keyPart: toStored,
  key: ({ scope, thread, id }) => [toStored(scope), toStored(thread), toStored(id)],
  fullKey: 'NULL',
  writesLogColumns: false,
  writeList: (values) => JSON.stringify(values),
  readList: (column) => column,
  hasAny(column, values, bind) {
    const list = values.map((value) => bind(toStored(value))).join(', ');
    return `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value IN (${list}))`;
  },
  contains: (column, classes, bind) => `${column} GLOB ${bind(`*${classes.map(storedClass).join('')}*`)}`,
  answerContains(forms, bind) {
    const ways = forms.map((form) => `atom GLOB ${bind(`*${form.map(globClass).join('')}*`)}`);
    // SQLite does not parse a document that is nested too deeply, and compares a text up to its first NUL.
    return `CASE WHEN json_valid(doc) THEN EXISTS (
      SELECT 1 FROM json_tree(json_array(
        doc -> '$.answer.payload',
        CASE WHEN doc ->> '$.answer.withdrawn' THEN doc -> '$.answer.metadata.reason' END
      )) WHERE type IN ('text', 'integer', 'real') AND key IS NOT '${SECRET_MEMBER}' AND (${ways.join(' OR ')})
    ) END`;
  },
};

/** Columns keep some characters as several (see `stored-text.ts`): these have one case. */
function storedClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  const stored = toStored(first);
  return stored === first ? globClass(cases) : stored;
}

function globClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  return first === ']' || first === '^' ? first : `[${cases.join('')}]`;
}

/** One text for each table or log, made once. */
export function perTable<Name extends TableName | LogName>(
  sql: (table: Name) => string,
): (table: Name) => string {
  const known = new Map<Name, string>();
  return (table) => {
    const text = known.get(table) ?? sql(table);
    known.set(table, text);
    return text;
  };
}
