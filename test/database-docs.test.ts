import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migratePostgres } from 'holdpoint/store/postgres';
import { migrateSqlite } from 'holdpoint/store/sqlite';
import { Pool } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { createDatabase } from './postgres/create-database.ts';

interface Database {
  prepare(sql: string): { all(): unknown[] };
  close(): void;
}
const Database = createRequire(import.meta.url)('libsql') as new (path: string) => Database;

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-queries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The queries of `docs/database.md` for one database. */
function queriesFor(database: 'sqlite' | 'postgres'): string[] {
  const page = readFileSync(join(root, 'docs/database.md'), 'utf8');
  const blocks = page.matchAll(/```sql ?(\w*)\n([\s\S]*?)```/g);
  return [...blocks].filter(([, only]) => only === '' || only === database).map(([, , sql = '']) => sql);
}

/** Queries that find rows in the fixture; the others need a thread that the fixture does not have. */
const MOST_EMPTY = 5;

describe('the queries of docs/database.md', () => {
  it('run on SQLite', async () => {
    const path = join(folder, 'a.db');
    copyFileSync(join(root, 'src/store/sqlite/testing-support/schema-2.sqlite'), path);
    await migrateSqlite(path);
    const queries = queriesFor('sqlite');
    expect(queries.length).toBeGreaterThanOrEqual(10);
    const database = new Database(path);
    const counts = queries.map((sql) => database.prepare(sql).all().length);
    expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(MOST_EMPTY);
    expect(database.prepare(queries[0] ?? '').all()).toContainEqual({ state: 'pending', 'count(*)': 2 });
    database.close();
  });

  it('run on PostgreSQL', async () => {
    const pool = new Pool({
      connectionString: await createDatabase(),
      options: '-c search_path=made_before',
    });
    pool.on('error', () => undefined);
    await pool.query(readFileSync(join(root, 'src/store/postgres/testing-support/schema-1.sql'), 'utf8'));
    await migratePostgres(pool, { schema: 'made_before' });
    const queries = queriesFor('postgres');
    expect(queries.length).toBeGreaterThanOrEqual(10);
    const counts: number[] = [];
    for (const sql of queries) counts.push((await pool.query(sql)).rows.length);
    expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(MOST_EMPTY);
    const { rows } = await pool.query(queries[0] ?? '');
    expect(rows).toContainEqual({ state: 'pending', count: '2' });
    await pool.end();
  });
});
