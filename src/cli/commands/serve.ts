import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HoldpointError, isRecord } from '../../core/index.ts';
import type { Host } from '../../host/index.ts';
import type { Call, Command } from '../command.ts';
import { numberFlag } from '../command.ts';
import { serveHost } from '../serve-host.ts';
import { paint } from '../terminal.ts';

/** Serves an application's own host: a module whose default export, or `host`, is what `createHost` gave. */
export const serve: Command = {
  usage: 'serve <module> [--port 4680] [--watch]',
  summary: 'serves the host that a module of yours exports',
  flags: {
    port: { type: 'string', help: 'the port (default 4680)' },
    hostname: { type: 'string', help: 'the address to listen on (default 127.0.0.1)' },
    watch: { type: 'boolean', help: 'starts again when a file changes that the module is made of' },
  },
  async run(call) {
    const [path] = call.words;
    if (path === undefined)
      throw new HoldpointError('INPUT_INVALID', 'Say which module: holdpoint serve ./host.js');
    return call.has('watch') ? serveAgain(call) : serveOnce(call, path);
  },
};

async function serveOnce(call: Call, path: string): Promise<number> {
  const { terminal, signal } = call;
  const host = await hostOf(path);
  const port = numberFlag(call, 'port');
  const hostname = call.flag('hostname');
  const served = await serveHost(host, {
    ...(port === undefined ? {} : { port }),
    ...(hostname === undefined ? {} : { hostname }),
  });
  terminal.out(`${paint(terminal, 'bold', `Holdpoint on ${served.url}`)}\n`);
  await new Promise<void>((done) => {
    signal.addEventListener('abort', () => done(), { once: true });
  });
  await served.close();
  return 0;
}

/** Lets Node run this command again whenever a file changes that the module is made of; one that fails waits for the next. */
async function serveAgain({ signal }: Call): Promise<number> {
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
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new HoldpointError('INPUT_INVALID', `${path} could not be loaded: ${message}`, { cause });
  }
  const found: unknown = isRecord(loaded) ? (loaded['default'] ?? loaded['host']) : undefined;
  if (isHost(found)) return found;
  throw new HoldpointError(
    'INPUT_INVALID',
    `${path} exports no host: what createHost gives has to be its default export.`,
  );
}

function isHost(value: unknown): value is Host {
  return isRecord(value) && typeof value['fetch'] === 'function' && typeof value['close'] === 'function';
}
