import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../test/postgres/create-database.ts';
import { Pool } from 'pg';
import { encodeCursor } from '../cursor.ts';
import type { ListQuery } from '../store.ts';
import { migratePostgres } from './index.ts';
import { listStatement } from '../list-query.ts';
import { schemaNames } from './schema.ts';

const names = schemaNames({ schema: 'many' });
let url: string;
let pool: Pool;
beforeAll(async () => {
  url = await createDatabase();
  pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  await migratePostgres(pool, { schema: 'many' });
  await pool.query(`
    INSERT INTO many.interrupts (scope, thread, id, version, created_at, state, due_at, doc)
    SELECT 's' || n % 3, 't' || n / 10, n, 1, n,
      CASE WHEN n % 100 = 0 THEN 'pending' WHEN n % 100 = 1 THEN 'answered' ELSE 'resolved' END,
      CASE WHEN n % 2 = 0 THEN n END, '{}'
    FROM generate_series(1, 60000) n`);
  await pool.query('ANALYZE many.interrupts');
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
  const { sql, values } = listStatement(names.dialect, { ...query, limit: 50 });
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
  return flatten(rows[0]['QUERY PLAN'][0].Plan);
}

describe('a page of a large table', () => {
  const inbox = { table: 'interrupts', scope: 's1', status: ['pending'] } as const;
  it.each<[string, ListQuery, string]>([
    ['of a state by time made', inbox, 'interrupts_open'],
    ['of a state, the newest first', { ...inbox, order: 'newest' }, 'interrupts_open'],
    ['of several states', { ...inbox, status: ['pending', 'answered'] }, 'interrupts_open'],
    ['of a scope', { table: 'interrupts', scope: 's1' }, 'interrupts_scope'],
    ['of a thread', { ...inbox, thread: 't1000' }, 'interrupts_pkey'],
    [
      'of what is due anywhere',
      { table: 'interrupts', status: ['pending'], dueBefore: 30_000, order: 'due' },
      'interrupts_due',
    ],
  ])('%s reads an index and little else', async (_name, query, index) => {
    const plan = await planOf(query);
    const scans = plan.filter(
      (node) => node['Node Type'].includes('Scan') && node['Node Type'] !== 'Subquery Scan',
    );
    expect(new Set(scans.map((node) => node['Index Name']))).toEqual(new Set([index]));
    const touched = scans.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
    expect(Math.max(...touched)).toBeLessThanOrEqual(60);
  });

  it('reads an index after a cursor too', async () => {
    const next = { ordinal: 30_000, dueAt: 30_000 };
    for (const order of ['created', 'newest', 'due'] as const) {
      const plan = await planOf({ ...inbox, order, cursor: encodeCursor(order, next) });
      expect(plan.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    }
  });
});
