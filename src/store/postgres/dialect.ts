import { createHash } from 'node:crypto';
import type { Dialect, SqlValue } from '../dialect.ts';
import { toStored } from '../stored-text.ts';

/** The dialect of PostgreSQL; `quoted` is the schema. */
export function postgresDialect(quoted: string): Dialect {
  return {
    table: (name) => `${quoted}.${name}`,
    tableOfThread: (name) => `${quoted}.${name}`,
    parameter: (number, value) => `$${number}::${typeOf(value)}`,
    keyPart,
    key({ scope, thread, id }) {
      const parts = [keyPart(scope), keyPart(thread), keyPart(id)];
      return parts.some(isDigest) ? [...parts, JSON.stringify([scope, thread, id])] : parts;
    },
    fullKey: 'full_key',
    writesLogColumns: true,
    writeList: (values) => values,
    readList: (column) => `to_json(${column})`,
    hasAny: (column, values, bind) => `${column} && ${bind(values.map(toStored))}`,
    contains: (column, classes, bind) => `${column} ~ ${bind(classes.map(regularClass).join(''))}`,
  };
}

function typeOf(value: SqlValue): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'bigint' : 'double precision';
  return typeof value === 'string' ? 'text' : 'text[]';
}

/** The maximum bytes of a key part in an index: an index entry has less than 2,704 bytes in total. */
const LONGEST_PLAIN = 400;

/** `toStored` never produces this text, because it escapes every backslash. */
const DIGEST_MARK = String.raw`\h`;

/** A key part in its column: the digest of a part that is too long. */
function keyPart(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  if (Buffer.byteLength(escaped) <= LONGEST_PLAIN) return toStored(text);
  return DIGEST_MARK + createHash('sha256').update(escaped).digest('hex');
}

/** Whether a column has the digest of a part that was too long. */
export function isDigest(column: string): boolean {
  return column.startsWith(DIGEST_MARK);
}

/** Columns keep some characters as several (see `stored-text.ts`): these have one case. */
function regularClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  const stored = toStored(first);
  if (stored !== first) return `\\${stored}`;
  // Signs of a regular expression are ASCII and have one case; an escaped letter would mean something else.
  return `[${cases.map((one) => (/^[!-/:-@[-`{-~]$/.test(one) ? `\\${one}` : one)).join('')}]`;
}
