import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyColumns, keyFromColumns, rowKeyColumn } from './key-columns.ts';

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
        expect(Buffer.byteLength(rowKeyColumn('interrupts', given))).toBeLessThan(2_000);
      }),
    );
  });

  it('is another for another key', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(rowKeyColumn('runs', one) === rowKeyColumn('runs', other)).toBe(same);
      }),
    );
    expect(rowKeyColumn('runs', { scope: 'a\nb', thread: '', id: '' })).not.toBe(
      rowKeyColumn('runs', { scope: 'a', thread: 'b\n', id: '' }),
    );
  });
});
