import { describe, expect, it } from 'vitest';
import { encodeBatch } from '../encode-batch.ts';
import type { Batch } from '../store.ts';
import { postgresDialect } from './dialect.ts';
import { toWaves } from './waves.ts';

const dialect = postgresDialect('"s"');
const thread = (name: string) => ({ scope: 's', thread: name, id: '' });
const grant = { scope: 's', thread: '', id: 'g' };
const put = (name: string): Batch => ({
  puts: [{ table: 'threads', key: thread(name), doc: {}, expect: 1 }],
});
const check = (name: string): Batch => ({
  ...put(name),
  checks: [{ table: 'grants', key: grant, expect: 1 }],
});
const use: Batch = { puts: [{ table: 'grants', key: grant, doc: {} }] };

const wavesOf = (...batches: readonly Batch[]) =>
  toWaves(
    dialect,
    batches.map((batch) => encodeBatch(dialect, batch)),
  );
const places = (...batches: readonly Batch[]) =>
  wavesOf(...batches).placed.map(({ wave, number }) => [wave, number]);

describe('waves', () => {
  it('puts batches of different threads into one wave, and batches of one thread into waves in their order', () => {
    expect(places(put('a'), put('b'), put('a'), put('a'), put('b'))).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 0],
      [1, 1],
    ]);
  });

  it('lets batches that only check a row share a wave, before or after the batch that changes the row', () => {
    expect(places(check('a'), check('b'), use, check('c'))).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [2, 0],
    ]);
  });

  it('locks a name exclusively if any batch changes it, and otherwise shared', () => {
    const locks = (...batches: readonly Batch[]) => [...wavesOf(...batches).locks.values()];
    expect(locks(check('a'))).toEqual([false, true]);
    expect(locks(check('a'), use)).toEqual([true, true]);
    const checked = { checks: [{ table: 'threads' as const, key: thread('a'), expect: 1 }] };
    expect(locks({ ...checked, ...put('a') })).toEqual([true]);
    expect(locks(checked)).toEqual([false]);
  });

  it('joins several puts of a row and several appends to a log', () => {
    const log = { log: 'events' as const, scope: 's', thread: 'a' };
    const { waves, placed } = wavesOf({
      puts: [
        { table: 'executions', key: thread('a'), doc: { n: 1 } },
        { table: 'executions', key: thread('a'), doc: { n: 2 } },
      ],
      appends: [
        { ...log, items: [1, 2] },
        { ...log, log: 'messages', items: ['m'] },
        { ...log, items: [] },
        { ...log, items: [3] },
      ],
    });
    expect(waves).toMatchObject([
      {
        puts: { executions: [[0, 2, 's', 'a', '', null, '{"n":2}', null, null]] },
        appends: {
          events: [
            [
              0,
              0,
              's',
              'a',
              [
                [1, '[1,2]'],
                [2, '[3]'],
              ],
            ],
          ],
          messages: [[0, 1, 's', 'a', [[0, '"m"', null]]]],
        },
      },
    ]);
    expect(placed[0]?.appends).toEqual([
      { log: 0, before: 0 },
      { log: 1, before: 0 },
      { log: 0, before: 2 },
      { log: 0, before: 2 },
    ]);
  });
});
