import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defined, HoldpointError, isRecord } from '../../core/index.ts';
import type { Host } from '../../host/index.ts';
import type { ServedHost, ServeOptions } from '../../host/node/index.ts';
import { serve as listen } from '../../host/node/index.ts';
import type { Call, Command } from '../command.ts';
import { numberFlag } from '../command.ts';
import { paint } from '../terminal.ts';

/** Serves the host that a module exports as `default` or `host`. */
export const serve: Command = {
  usage: 'serve <module> [--port 4680] [--watch]',
  summary: 'serves the host that a module exports as default',
  flags: {
    port: { type: 'string', help: 'the port (default 4680)' },
    hostname: { type: 'string', help: 'the address to listen on (default 127.0.0.1)' },
    watch: { type: 'boolean', help: 'restarts when the module or one of its imports changes' },
  },
  async run(call) {
    const [path] = call.words;
    if (path === undefined)
      throw new HoldpointError('INPUT_INVALID', 'Give a module: holdpoint serve ./host.js');
    return call.has('watch') ? serveWatching(call) : serveOnce(call, path);
  },
};

/** Serves a host for a command. Throws `INPUT_INVALID` if the port is in use. */
export async function serveHost(host: Host, options: ServeOptions): Promise<ServedHost> {
  try {
    return await listen(host, options);
  } catch (cause) {
    await host.close();
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    const sentence = `The port ${options.port ?? 4680} is in use. Give another --port.`;
    throw new HoldpointError('INPUT_INVALID', sentence, { cause });
  }
}

async function serveOnce(call: Call, path: string): Promise<number> {
  const { terminal, signal } = call;
  const host = await hostOf(path);
  const port = numberFlag(call, 'port');
  const hostname = call.flag('hostname');
  const served = await serveHost(host, defined({ port, hostname }));
  terminal.out(`${paint(terminal, 'bold', `Holdpoint on ${served.url}`)}\n`);
  await new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
  });
  await served.close();
  return 0;
}

/** Runs this command under `node --watch`, which restarts it after each change of the module, also after a failed start. */
async function serveWatching({ signal }: Call): Promise<number> {
  const given = process.argv.slice(1).filter((word) => word !== '--watch');
  const options = ['--watch', '--watch-preserve-output', ...process.execArgv];
  const child = spawn(process.execPath, [...options, ...given], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = (await ended) as [number | null];
  return signal.aborted ? 0 : (code ?? 1);
}

async function hostOf(path: string): Promise<Host> {
  let loaded: unknown;
  if (!existsSync(path)) throw new HoldpointError('INPUT_INVALID', `There is no file ${path}.`);
  try {
    loaded = await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    if (isRecord(cause) && cause['code'] === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const sentence = `This Node cannot load ${path}. Use Node 22.18 or newer, or install tsx and run: NODE_OPTIONS="--import tsx" npx holdpoint serve ${path}`;
      throw new HoldpointError('INPUT_INVALID', sentence, { cause });
    }
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new HoldpointError('INPUT_INVALID', `${path} could not be loaded: ${message}`, { cause });
  }
  const found: unknown = isRecord(loaded) ? (loaded['default'] ?? loaded['host']) : undefined;
  if (isHost(found)) return found;
  throw new HoldpointError(
    'INPUT_INVALID',
    `${path} exports no host. Export the result of createHost as default.`,
  );
}

function isHost(value: unknown): value is Host {
  return isRecord(value) && typeof value['fetch'] === 'function' && typeof value['close'] === 'function';
}
