import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { freePort } from '../processes/free-port.ts';

/** A host in a child process, on a SQLite file. */
export interface TestServer {
  readonly url: string;
  /** The folder of the built web app. */
  readonly pages: string;
  /** The side effects, one line each. */
  done(): string[];
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the host again on the same port and file. */
  start(): Promise<void>;
  dispose(): Promise<void>;
}

/** What a server of the browser tests serves. */
export interface ServerOptions {
  /** The agent of the tests, or the demo. Default: the agent of the tests. */
  readonly kind?: 'tests' | 'demo';
  /** Builds other pages than the web app; returns their folder. */
  readonly buildPages?: () => Promise<string>;
}

/** Builds the web app and the server, and starts the server. */
export async function startServer({ kind = 'tests', buildPages }: ServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.server-'));
  let pages = join(folder, 'ui');
  const program = join(folder, 'server.mjs');
  const outside = join(folder, 'outside');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (buildPages === undefined) await run('node', [join(import.meta.dirname, '../../ui/build.mjs'), pages]);
    else pages = await buildPages();
    await bundle(program);
  } catch (error) {
    remove();
    throw error;
  }
  const port = String(await freePort());
  let child: ChildProcess | undefined;

  const start = async () => {
    const started = spawn(process.execPath, [program, port, join(folder, 'test.db'), pages, outside, kind], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let said = '';
    started.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
    for await (const piece of started.stdout) {
      said += String(piece);
      if (!said.includes('listening on ')) continue;
      // Drains the output, so that a full pipe does not block the server.
      started.stdout.resume();
      return;
    }
    throw new Error(`The server did not start. It said:\n${said}`);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    pages,
    done: () => (existsSync(outside) ? readFileSync(outside, 'utf8').split('\n').filter(Boolean) : []),
    kill,
    start,
    async dispose() {
      await kill();
      remove();
    },
  };
}

async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, 'server.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['holdpoint-source'],
    external: ['libsql', 'pg', 'pg-native'],
    logLevel: 'warning',
  });
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed with ${code}.`);
}
