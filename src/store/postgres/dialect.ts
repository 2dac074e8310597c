import { createHash } from 'node:crypto';
import type { Dialect, SqlValue } from '../dialect.ts';
import { SECRET_MEMBER } from '../search-text.ts';
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
    contains: (column, classes, bind) => `${column} ~ ${bind(classes.map(storedClass).join(''))}`,
    answerContains(forms, bind) {
      const ways = forms.map((form) => `value #>> '{}' ~ ${bind(form.map(regularClass).join(''))}`);
      const values = ['$.answer.payload.**', '$.answer ? (@.withdrawn == true).metadata.reason'].map(
        (path) => `SELECT jsonb_path_query(comparable, 'strict ${path}', '{}', true) AS value`,
      );
      return `EXISTS (SELECT 1 FROM (SELECT ${COMPARABLE_DOC} AS comparable OFFSET 0) AS document,
        LATERAL (${values.join(' UNION ALL ')}) AS answer
        WHERE jsonb_typeof(value) IN ('string', 'number') AND (${ways.join(' OR ')}))`;
    },
  };
}

const SECRET = `\\${SECRET_MEMBER}`;

/**
 * The document as `jsonb`: without the values of secrets, and without the escapes that `jsonb` refuses, `\u0000` and lone surrogates.
 * The first form of the second pattern skips an escaped backslash.
 */
const COMPARABLE_DOC = String.raw`regexp_replace(regexp_replace(doc::text,
  '([{,]\s*"${SECRET}"\s*:\s*)"(?:[^"\\]|\\.)*"', '\1null', 'g'),
  '(\\[^u])|\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\1', 'g')::jsonb`;

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
function storedClass(cases: readonly string[]): string {
  const [first = ''] = cases;
  const stored = toStored(first);
  return stored === first ? regularClass(cases) : `\\${stored}`;
}

function regularClass(cases: readonly string[]): string {
  // Signs of a regular expression are ASCII and have one case; an escaped letter would mean something else.
  return `[${cases.map((one) => (/^[!-/:-@[-`{-~]$/.test(one) ? `\\${one}` : one)).join('')}]`;
}
