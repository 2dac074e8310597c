import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcess;
  /** What it prints, line by line. */
  readonly lines: AsyncIterableIterator<string>;
  /** Resolves with its exit code, or its signal, once it has ended. */
  readonly ended: Promise<number | string | null>;
}

/** Starts a program of this folder as a process of its own. */
export function spawnChild(program: URL, ...parameters: string[]): Child {
  const child = spawn(
    process.execPath,
    ['--conditions=holdpoint-source', '--import', 'tsx', fileURLToPath(program), ...parameters],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

/** The next line a child prints; throws where it ends without one. */
export async function nextLine({ lines }: Child): Promise<string> {
  const { done, value } = await lines.next();
  if (done === true) throw new Error('The child process ended without a word.');
  return value;
}
