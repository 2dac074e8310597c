import { Client } from 'pg';
import { inject } from 'vitest';

let count = 0;

/** Creates a database for one test file on the shared PostgreSQL and returns its connection string. */
export async function createDatabase(): Promise<string> {
  const shared = inject('postgresUrl');
  count += 1;
  const name = `test_${process.pid}_${count}`;
  const client = new Client({ connectionString: shared });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(shared);
  url.pathname = name;
  return url.href;
}
