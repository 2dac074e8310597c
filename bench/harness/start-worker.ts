import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A process of its own for one contender, one load generator or one database server. */
export interface Worker {
  readonly pid: number;
  /** Calls a function of the opened module. Throws the error of the other process. */
  call<T = void>(task: string, given?: unknown): Promise<T>;
  /** Calls `close` if the module has it, and ends the process. */
  stop(): Promise<void>;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
}

export interface WorkerOptions {
  /** For V8 and Node. */
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The longest time of one call in milliseconds. Default: 120,000. */
  readonly limitMs?: number;
  /** The time for `close` in milliseconds, before the process is killed. Default: 5,000. */
  readonly closeMs?: number;
}

const bench = resolve(import.meta.dirname, '..');
/** AI SDK 7 and Mastra need Node 22 or later, so every contender runs on the Node of `peers/`. The command installs it. */
export const NODE = join(bench, 'peers/node_modules/node/bin/node');

/** Starts a process, and opens a module of this folder in it: `open(given)` returns the functions that `call` may name. */
export async function startWorker(
  file: string,
  given: unknown,
  { execArgv = [], env = {}, limitMs = 120_000, closeMs = 5_000 }: WorkerOptions = {},
): Promise<Worker> {
  const child = fork(join(import.meta.dirname, 'worker.ts'), {
    execPath: NODE,
    execArgv: ['--no-warnings', ...execArgv],
    env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '', ...env },
    // As JSON, an error would arrive without its words.
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      said = (said + data.toString()).slice(-2_000);
    });
  }
  let isStopping = false;
  const exits = async () => {
    const [code, signal] = await once(child, 'exit');
    if (!isStopping) throw new Error(`The process of ${file} ended (${signal ?? code}). ${said.trim()}`);
  };
  const ended = exits();
  ended.catch(() => undefined);

  const ask = createOrders(child);
  const order = async (message: object, limit: number): Promise<unknown> => {
    const timer = new AbortController();
    const late = new Promise<never>((_, reject) => {
      const timeout = setTimeout(
        () => reject(new Error(`No answer within ${limit / 1000} s. ${said}`)),
        limit,
      );
      timer.signal.addEventListener('abort', () => clearTimeout(timeout));
    });
    try {
      return await Promise.race([ask(message), late, ended]);
    } finally {
      timer.abort();
    }
  };
  const kill = async () => {
    isStopping = true;
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  };
  try {
    await order({ open: pathToFileURL(join(bench, file)).href, given }, limitMs);
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    call: async <T>(task: string, value?: unknown) => (await order({ task, given: value }, limitMs)) as T,
    kill,
    async stop() {
      isStopping = true;
      // A module without `close` answers with an error.
      await order({ task: 'close', given: undefined }, closeMs).catch(() => undefined);
      await kill();
    },
  };
}

/** The side of a child process that orders use. */
export interface Channel {
  send(message: object, sent: (error: Error | null) => void): unknown;
  on(event: 'message', listen: (answer: Answer) => void): unknown;
}

interface Answer {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Sends orders to a process. Several may be under way at once, so each has a number, which its answer repeats. */
export function createOrders(child: Channel): (message: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let count = 0;
  child.on('message', ({ number, value, error }) => {
    const order = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) order?.resolve(value);
    else order?.reject(error);
  });
  return (message) => {
    count += 1;
    const number = count;
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      child.send({ ...message, number }, (error) => {
        if (error !== null && waiting.delete(number)) reject(error);
      });
    });
  };
}
