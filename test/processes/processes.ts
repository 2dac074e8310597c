/** Child processes for tests. A bundled program starts ten times faster. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const STDIO = {
  shared: ['inherit', 'inherit', 'inherit', 'ipc'],
  errors: ['ignore', 'ignore', 'pipe', 'ipc'],
} satisfies Record<string, StdioOptions>;

export interface Program {
  /** The folder of the program; its processes write their files here too. */
  readonly folder: string;
  /** The bundled file. */
  readonly file: string;
  /** Starts a process with this value as its only argument. */
  start(parameter: unknown, output?: keyof typeof STDIO): ChildProcess;
  /** Kills the remaining processes and removes the folder. */
  dispose(): void;
}

/** Bundles a program into a folder below `node_modules`, so that it finds its external packages. */
export async function bundleProgram(entry: string): Promise<Program> {
  const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.program-'));
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['holdpoint-source'],
    external: ['libsql', 'pg', 'pg-native'],
  });
  const children: ChildProcess[] = [];
  return {
    folder,
    file: outfile,
    start(parameter, output = 'shared') {
      const child = fork(outfile, [JSON.stringify(parameter)], { execArgv: [], stdio: STDIO[output] });
      children.push(child);
      return child;
    },
    dispose() {
      for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Sends a message to a process and returns its reply. Throws if the process ends first. */
export async function call<Answer>(child: ChildProcess, message: object | string): Promise<Answer> {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`A process ended with ${String(code ?? by)}.`);
  });
  ended.catch(() => undefined);
  try {
    const answer = once(child, 'message', { signal });
    child.send(message);
    const [value] = (await Promise.race([answer, ended])) as [Answer];
    return value;
  } finally {
    stop.abort();
  }
}

/** Waits until a condition holds. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
