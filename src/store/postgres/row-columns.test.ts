import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyColumns, keyFromColumns } from './row-columns.ts';

const text = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 600 })
  .map((units) => String.fromCharCode(...units));
const key = fc.record({ scope: text, thread: text, id: text });

describe('a key in columns', () => {
  it('comes back as it was given, from text that PostgreSQL can keep', () => {
    fc.assert(
      fc.property(key, (given) => {
        const columns = keyColumns(given);
        expect(keyFromColumns({ ...columns, fullKey: columns.fullKey ?? null })).toEqual(given);
        for (const column of Object.values(columns)) {
          expect(column.includes('\0')).toBe(false);
          expect(column.isWellFormed()).toBe(true);
        }
        const { scope, thread, id } = columns;
        expect(Buffer.byteLength(scope + thread + id)).toBeLessThan(2_000);
      }),
    );
  });

  it('is another for another key', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        const columns = (given: typeof one) => JSON.stringify({ ...keyColumns(given), fullKey: '' });
        expect(columns(one) === columns(other)).toBe(same);
      }),
    );
  });
});
