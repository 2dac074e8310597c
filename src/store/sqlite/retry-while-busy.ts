import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './sqlite-errors.ts';

const SHORTEST_MS = 1;
const LONGEST_MS = 25;

/** How long to wait before the next attempt: longer each time, and never the same for two who wait for each other. */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  return Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random());
}

/**
 * Tries again while another connection holds the lock, and leaves the event loop free in between. The first attempt is
 * made before this returns. Throws what the last attempt threw, once `timeoutMs` have passed.
 */
export async function retryWhileBusy<T>(attempt: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let count = 0; ; count += 1) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(backOffMs(count));
  }
}
