import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import type { ListQuery } from '../store.ts';
import { migratePostgres } from './index.ts';
import { listStatement } from './list-rows.ts';
import { schemaNames } from './schema-names.ts';

const names = schemaNames({ schema: 'many' });
let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  await migratePostgres(pool, { schema: 'many' });
  await pool.query(`
    INSERT INTO many.rows (row_key, table_name, scope, thread, id, version, created_at, status, due_at, doc)
    SELECT 'interrupts-' || n, 'interrupts', 's' || n % 3, 't' || n / 10, n, 1, n,
      CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 100 = 1 THEN 'answered' ELSE 'resolved' END,
      CASE WHEN n % 2 = 0 THEN n END, '{}'
    FROM generate_series(1, 60000) n`);
  await pool.query('ANALYZE many.rows');
});
afterAll(() => pool.end());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

async function planOf(query: ListQuery): Promise<Plan[]> {
  const { text, values } = listStatement(names, query, 51);
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

describe('a page of a large table', () => {
  const inbox = { table: 'interrupts', scope: 's1', status: ['pending'] } as const;
  it.each<[string, ListQuery, string]>([
    ['of a status by time made', inbox, 'rows_by_status'],
    ['of a status by time due', { ...inbox, order: 'due' }, 'rows_by_due'],
    ['of several statuses', { ...inbox, status: ['pending', 'answered'] }, 'rows_by_status'],
    [
      'of several statuses by time due',
      { ...inbox, status: ['pending', 'resolved'], order: 'due' },
      'rows_by_due',
    ],
    ['of a scope', { table: 'interrupts', scope: 's1' }, 'rows_by_scope'],
    ['of a thread', { ...inbox, thread: 't1000' }, 'rows_by_thread'],
    [
      'of what is due anywhere',
      { table: 'interrupts', status: ['pending'], dueBefore: 30_000, order: 'due' },
      'rows_to_do',
    ],
  ])('%s is read from an index, and little else is', async (_name, query, index) => {
    const plan = await planOf(query);
    const scans = plan.filter(
      (node) => node['Node Type'].includes('Scan') && node['Node Type'] !== 'Subquery Scan',
    );
    expect(new Set(scans.map((node) => node['Index Name']))).toEqual(new Set([index]));
    const touched = scans.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(Math.max(...touched)).toBeLessThanOrEqual(60);
  });

  it('is read from an index after a cursor as well', async () => {
    const cursor = btoa(encodeURIComponent(JSON.stringify([30_000, '30000'])));
    for (const order of ['created', 'due'] as const) {
      const plan = await planOf({ ...inbox, order, cursor });
      expect(plan.some((node) => node['Node Type'] === 'Seq Scan' || node['Node Type'] === 'Sort')).toBe(
        false,
      );
    }
  });
});
