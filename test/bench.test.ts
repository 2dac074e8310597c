import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runCase } from '../bench/harness/case.ts';
import type { Line, Results } from '../bench/harness/results.ts';
import { addEarlierRuns, exponent, isMet, ratio } from '../bench/harness/results.ts';
import { createOrders } from '../bench/harness/start-worker.ts';
import { writePicture } from '../bench/harness/write-picture.ts';
import { writePage, writeRatios } from '../bench/harness/write-table.ts';

const line: Line = {
  name: 'fresh thread',
  unit: 'cycles/s',
  better: 'more',
  ours: 'holdpoint',
  durability: 'SQLite FULL',
  figures: {
    holdpoint: { values: [300, 100, 200] },
    peer: { values: [100, 100, 100] },
    broken: { failed: 'It did not start' },
  },
};
const results: Results = {
  machine: '2 processors',
  node: '24.0.0',
  versions: { ai: '7.0.0' },
  cases: [
    {
      name: 'durable',
      title: 'one cycle',
      at: '2026-11-16T12:00:00.000Z',
      commit: 'abc',
      seconds: 3,
      lines: [line],
      budgets: [
        { text: 'holdpoint to peer', value: ratio(line, 'holdpoint', 'peer'), atLeast: 3, unit: '×' },
        { text: 'holdpoint to broken', value: ratio(line, 'holdpoint', 'broken'), atLeast: 1, unit: '×' },
      ],
      facts: { columns: ['a second answer'], rows: { peer: ['ran twice'] } },
      notes: ['A note.'],
    },
  ],
};
const RUN = { all: false, trial: false, only: '', without: [], commit: 'abc', say: () => undefined };

describe('the results of the bench', () => {
  it('the page shows medians, spread, ratio, failed contenders and verdicts', () => {
    const page = writePage(results);
    expect(page).toMatch(
      /\| fresh thread, SQLite FULL \(cycles\/s\) \| holdpoint \| 200 +\| 100 to 300 +\| +\|/,
    );
    expect(page).toMatch(/\| peer +\| 100 +\| 100 to 100 +\| 2.00 × +\|/);
    expect(page).toMatch(/\| broken +\| not measured \| It did not start/);
    expect(page).toMatch(/holdpoint to peer +\| ≥ 3.00 × \| 2.00 × +\| +\| \*\*missed\*\*/);
    expect(page).toMatch(/holdpoint to broken +\| ≥ 1.00 × \| – +\| +\| not measured/);
    expect(page).toContain('| peer | ran twice       |');
  });

  it('the picture has a bar for each contender with figures, and none for a line that was not measured', () => {
    const picture = writePicture(results, [
      { case: 'durable', line: 'fresh thread', title: 'One cycle' },
      { case: 'durable', line: 'absent', title: 'Absent' },
    ]);
    expect(picture.match(/<rect class="\w+"/g)).toEqual(['<rect class="ours"', '<rect class="peer"']);
    expect(picture).not.toContain('Absent');
  });

  it('a table of ratios has each contender with figures', () => {
    const shown = { case: 'durable', line: 'fresh thread', title: 'One cycle' };
    expect(writeRatios(results, [shown])).toMatch(/\| One cycle +\| 2.00 × peer +\|/);
  });

  it('a budget that an earlier run of the same commit missed is missed', () => {
    const run = (commit: string, value: number) => {
      const budgets = [{ text: 'ratio', value, atLeast: 1, unit: '×' }];
      return { name: 'durable', title: '', at: '', seconds: 1, lines: [], notes: [], commit, budgets };
    };
    const third = addEarlierRuns(run('abc', 3), addEarlierRuns(run('abc', 2), run('abc', 0.5)));
    expect(third.budgets).toMatchObject([{ value: 3, earlier: [2, 0.5] }]);
    expect(third.budgets.map(isMet)).toEqual([false]);
    expect(addEarlierRuns(run('def', 3), third).budgets.map(isMet)).toEqual([true]);
  });

  it('a growth of size to the power of 0.5 gives the exponent 0.5', () => {
    const points = [1, 100, 10_000].map((size) => [size, 3 * Math.sqrt(size)] as const);
    expect(exponent(points)).toBeCloseTo(0.5);
    expect(isMet({ text: '', unit: '×', value: 1.6, atMost: 1.5 })).toBe(false);
  });
});

describe('a case of the bench', () => {
  it('measures the contenders in turn, each round beginning with another, and goes on when one fails', async () => {
    const order: string[] = [];
    const contender =
      (name: string, fails = false) =>
      async () => ({
        warmUp: async () => order.push(`warm ${name}`),
        slice: async () => {
          if (fails) throw new Error('broken');
          order.push(name);
          return order.length;
        },
        stop: async () => order.push(`stop ${name}`),
      });
    const { lines, notes } = await runCase(
      {
        name: 'case',
        title: 'a case',
        async run(bench) {
          const contenders = {
            a: contender('a'),
            b: contender('b'),
            absent: () => Promise.reject(new Error('no server')),
            c: contender('c', true),
          };
          await bench.measure({ name: 'line', unit: 'ms', better: 'less', contenders, rounds: 3 });
          throw new Error('The rest failed');
        },
      },
      RUN,
    );
    expect(order.join(' ')).toBe('warm a warm b warm c a b b a a b stop a stop b stop c');
    expect(lines[0]?.figures['absent']).toEqual({ failed: 'no server' });
    expect(lines[0]?.figures['c']).toEqual({ failed: 'broken' });
    expect(notes).toEqual(['The case ended early: The rest failed']);
  });
});

describe('a process of the bench', () => {
  it('two orders at once whose answers arrive in another order each get their own answer', async () => {
    const sent: { readonly number: number; readonly task: string }[] = [];
    const child = Object.assign(new EventEmitter(), { send: (order: object) => sent.push(order as never) });
    const order = createOrders(child);
    const answers = Promise.all([order({ task: 'first' }), order({ task: 'second' })]);
    for (const { number, task } of sent.toReversed()) child.emit('message', { number, value: task });
    expect(await answers).toEqual(['first', 'second']);
  });
});
