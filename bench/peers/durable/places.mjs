import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Client } from 'pg';

// A place is plain data, so that it can be sent to another process. Its creator removes it after that process has ended.

/** A new SQLite file in a folder of its own. */
export async function sqlitePlace(synchronous) {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'));
  return {
    place: { file: join(folder, 'bench.db'), synchronous },
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
  return {
    place: { url: own.href },
    remove: () => administer(url, `DROP DATABASE ${name} WITH (FORCE)`),
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
