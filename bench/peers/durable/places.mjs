import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Client, Pool } from 'pg';

/** Connections that a contender may use at once, theirs and ours. */
const CONNECTIONS = 10;

/** A new SQLite file in a folder of its own. */
export async function sqlitePlace(synchronous) {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'));
  return {
    file: join(folder, 'bench.db'),
    synchronous,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

let databases = 0;

/** A new database on the server. */
export async function postgresPlace(url) {
  databases += 1;
  const name = `bench_${databases}`;
  await administer(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const pool = new Pool({ connectionString: own.href, max: CONNECTIONS });
  // What is not measured need not wait for the disk.
  const options = '-c synchronous_commit=off';
  const hastyPool = new Pool({ connectionString: own.href, max: 1, options });
  // A connection that is still closing when its database goes is told so.
  for (const one of [pool, hastyPool]) one.on('error', () => undefined);
  return {
    pool,
    hastyPool,
    async remove() {
      await Promise.all([pool.end(), hastyPool.end()]);
      await administer(url, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function administer(url, sql) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
