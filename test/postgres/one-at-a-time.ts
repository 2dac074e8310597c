import { mkdir, rmdir, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Age after which a lock counts as left by a dead process. */
const STALE_MS = 180_000;

/** Runs `work` under a lock that processes share through a folder. */
export async function oneAtATime<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await take(lock))) await delay(100);
  try {
    return await work();
  } finally {
    await rmdir(lock);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = await stat(lock).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) {
    await rmdir(lock).catch(() => undefined);
  }
  return false;
}
