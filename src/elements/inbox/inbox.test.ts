import { describe, expect, it } from 'vitest';
import { historyAsCsv } from './history-csv.ts';
import { ALL_ROWS, filterRows } from './inbox-filter.ts';
import { mayApproveTogether, rowText, toRow } from './inbox-item.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
function row(
  id: string,
  more: { tool?: string; minutesAgo?: number; expiresIn?: number; destructive?: boolean } = {},
) {
  const { tool = 'pay', minutesAgo = 1, expiresIn, destructive } = more;
  const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
  return toRow({
    threadId: 't',
    status: 'pending',
    agent: 'assistant',
    raisedAt: at(-minutesAgo),
    interrupt: {
      id,
      reason: 'tool_call',
      responseSchema: { properties: { approved: { type: 'boolean' } } },
      metadata: {
        functionName: tool,
        functionArguments: { amount: 5 },
        ...(destructive ? { destructive } : {}),
      },
      ...(expiresIn === undefined ? {} : { expiresAt: at(expiresIn) }),
    },
  });
}
const ids = (rows: ReturnType<typeof filterRows>) => rows.map(({ item }) => item.interrupt.id);

describe('the rows of the inbox', () => {
  const rows = [
    row('old', { minutesAgo: 90 }),
    row('late', { expiresIn: 9 }),
    row('soon', { expiresIn: 1 }),
    row('new'),
  ];

  it('sorts rows by expiry, then rows without expiry by age', () => {
    expect(ids(filterRows(rows, ALL_ROWS, NOW))).toEqual(['soon', 'late', 'old', 'new']);
    expect(ids(filterRows(rows, { ...ALL_ROWS, sort: 'oldest' }, NOW))[0]).toBe('old');
  });

  it('filters rows by kind, agent and age', () => {
    expect(ids(filterRows(rows, { ...ALL_ROWS, olderThan: 3_600_000 }, NOW))).toEqual(['old']);
    expect(filterRows(rows, { ...ALL_ROWS, agent: 'other' }, NOW)).toEqual([]);
    expect(rowText(row('a'))).toBe('Amount: 5');
  });

  it('allows approving together only rows of one tool that can be undone', () => {
    expect(mayApproveTogether([row('a'), row('b')])).toBe(true);
    expect(mayApproveTogether([row('a'), row('b', { tool: 'mail' })])).toBe(false);
    expect(mayApproveTogether([row('a', { destructive: true })])).toBe(false);
    expect(mayApproveTogether([])).toBe(false);
  });
});

it('writes a history as CSV with quotes where needed and without formulas', () => {
  const csv = historyAsCsv([{ at: 0, what: 'staged', by: '=1+1', payload: { reason: 'a "b", c' } }]);
  expect(csv.split('\r\n')[1]).toBe(
    `1970-01-01T00:00:00.000Z,staged,,'=1+1,,,"{""reason"":""a \\""b\\"", c""}",,,`,
  );
});
