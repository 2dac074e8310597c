import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RowKey } from '../store.ts';
import { toKey } from '../row-columns.ts';
import { postgresDialect } from './dialect.ts';

const keyColumns = (given: RowKey): [string, string, string, string | null] => {
  const [scope = '', thread = '', id = '', fullKey = null] = postgresDialect('"s"').key(given);
  return [scope, thread, id, fullKey];
};

const text = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 600 })
  .map((units) => String.fromCharCode(...units));
const key = fc.record({ scope: text, thread: text, id: text });

describe('a key in columns', () => {
  it('round-trips, from text that PostgreSQL can keep', () => {
    fc.assert(
      fc.property(key, (given) => {
        const columns = keyColumns(given);
        expect(toKey(columns)).toEqual(given);
        for (const column of columns.flatMap((one) => one ?? [])) {
          expect(column.includes('\0')).toBe(false);
          expect(column).not.toMatch(/\p{Surrogate}/u);
        }
        const [scope, thread, id] = columns;
        expect(Buffer.byteLength(scope + thread + id)).toBeLessThan(2_000);
      }),
    );
  });

  it('differs for different keys', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        const columns = (given: typeof one) => JSON.stringify(keyColumns(given).slice(0, 3));
        expect(columns(one) === columns(other)).toBe(same);
      }),
    );
  });
});
