import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/size.ts';
import { escapeControls } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import { exportHistory, verifyAll } from './index.ts';
import { pruneThread, readHistory, withdrawInterrupt } from './testing-support/as-operator.ts';
import type { ExportHistory } from './index.ts';
import { finished, key, newInterrupt, STORES, waiting } from './testing-support/ledger-world.ts';

async function textOf(store: Store, options: ExportHistory): Promise<string> {
  let text = '';
  for await (const piece of exportHistory(store, options)) text += piece;
  return text;
}

/** Parses CSV by RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(cells);
    cells = [];
  }
  return rows;
}

describe.each(STORES)('the history of all threads, over the store %s', (_name, create) => {
  const setUp = async () => {
    const store = create({ clock: { now: () => 1000 } });
    await finished(store);
    await finished(store, { key: { scope: 's', thread: 'u' } });
    await finished(store, { key: { scope: 'other', thread: 't' } });
    await pruneThread(store, key, { mayGo: () => true });
    return store;
  };

  it('jsonl has one entry per line, in order, pruned threads included, for all threads, one scope or one thread', async () => {
    const store = await setUp();
    const lines = (await textOf(store, { format: 'jsonl' })).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const own = await readHistory(store, key);
    expect(own).toHaveLength(5);
    expect(entries).toHaveLength(13);
    expect(entries.slice(0, 5)).toEqual(
      own.map((entry, index) => ({ ...key, sequence: index + 1, ...entry })),
    );
    const count = async (choice: object) =>
      (await textOf(store, { format: 'jsonl', ...choice })).split('\n').length - 1;
    expect([await count({ scope: 's' }), await count({ scope: 's', thread: 'u' })]).toEqual([9, 4]);
    expect(await textOf(store, { format: 'jsonl', scope: 'nobody' })).toBe('');
    const seen: number[] = [];
    await textOf(store, { format: 'csv', onProgress: ({ exported }) => seen.push(exported) });
    expect(seen).toEqual([5, 9, 13]);
  });

  it('csv cells cannot run as formulas', async () => {
    const store = create({ clock: { now: () => 1000 } });
    await waiting(store, [newInterrupt('=cmd|"/c calc"!A1')]);
    const reason = '@SUM(1,1)\r\nand "more"';
    await withdrawInterrupt(store, { key, interruptId: '=cmd|"/c calc"!A1', reason });
    const [header, raised, withdrawn] = readCsv(await textOf(store, { format: 'csv' }));
    expect(header?.slice(0, 7)).toEqual(['scope', 'thread', 'sequence', 'what', 'interruptId', 'at', 'by']);
    expect(raised?.slice(0, 6)).toEqual([
      's',
      't',
      '1',
      'raised',
      `'=cmd|"/c calc"!A1`,
      '1970-01-01T00:00:01.000Z',
    ]);
    expect(withdrawn?.[10]).toBe(`'${reason}`);
  });

  it('csv keeps every text, with its control characters as escapes, and lets no cell start like a formula', async () => {
    const property = fc.asyncProperty(fc.string({ unit: 'binary' }), async (reason) => {
      const store = create();
      await waiting(store, [newInterrupt('q')]);
      await withdrawInterrupt(store, { key, interruptId: 'q', reason });
      const cell = readCsv(await textOf(store, { format: 'csv' }))[2]?.[10] ?? '';
      const shown = escapeControls(reason);
      expect([shown, `'${shown}`]).toContain(cell);
      expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
    });
    await fc.assert(property, {
      numRuns: runs(8),
      examples: [['a\r\u001B[Kb\u202E'], ['=1+1'], ['+1'], ['-1'], ['@a'], ['\t=1'], ['a,"b"']],
    });
  });

  it('verifyAll finds a changed entry', async () => {
    const store = await setUp();
    const progress: unknown[] = [];
    const look = async () => {
      const found: unknown[] = [];
      for await (const one of verifyAll(store, { onProgress: (now) => progress.push(now) })) found.push(one);
      return found;
    };
    expect(await look()).toEqual([]);
    expect(progress.at(-1)).toEqual({ checked: 3, broken: 0 });
    const place = { scope: 's', thread: 'u' };
    await store.commit({ appends: [{ log: 'history', ...place, items: [{ what: 'forged' }] }] });
    await store.trim({ log: 'history', scope: 'other', thread: 't', through: 1 });
    expect(await look()).toMatchObject([
      { key: place, index: 4 },
      { key: { scope: 'other', thread: 't' }, index: 0 },
    ]);
    expect(progress.at(-1)).toEqual({ checked: 3, broken: 2 });
  });

  it('verifyAll accepts a history that grows meanwhile', async () => {
    const store = create();
    await waiting(store, [newInterrupt('q')]);
    let grows = true;
    const growing: Store = {
      ...store,
      list: (query) => store.list(query),
      count: (query) => store.count(query),
      get: (table, keys) => store.get(table, keys),
      snapshot: (reads) => store.snapshot(reads),
      findStrays: (choice) => store.findStrays(choice),
      async read(query) {
        if (grows) {
          grows = false;
          await withdrawInterrupt(store, { key, interruptId: 'q' });
        }
        return store.read(query);
      },
    };
    const found: unknown[] = [];
    for await (const one of verifyAll(growing)) found.push(one);
    expect([found, grows]).toEqual([[], false]);
  });
});
