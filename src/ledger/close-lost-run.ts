import type { Access } from './access.ts';
import { storeOf } from './access.ts';
import { isAtWork } from './is-at-work.ts';
import { giveUpLease } from './start-run.ts';
import { workAs } from './thread-work.ts';

/** Closes a run whose lease is over without going on with it; whoever watched is told. Says whether there was one. */
export function closeLostRun(access: Access<never>): Promise<boolean> {
  return workAs(access, [], ({ thread, now }) => {
    if (thread?.active === undefined || isAtWork(thread, now, storeOf(access))) return { result: false };
    return { change: giveUpLease(thread, now), result: true };
  });
}
