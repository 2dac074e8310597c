/** The process of one side of a contest: ours or theirs. */
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Run } from '../protocol/contest.ts';
import { CONTESTS } from '../protocol/contests.ts';

export interface ContestSideOptions {
  readonly contest: string;
  readonly side: 'ours' | 'theirs';
}

/** Runs of a slice last at least so many milliseconds together. */
const SLICE = 150;

export async function open({ contest, side }: ContestSideOptions) {
  // Silences the warnings of the peers.
  console.warn = () => undefined;
  const found = CONTESTS.find(({ name }) => name === contest);
  if (found === undefined) throw new Error(`There is no contest "${contest}".`);
  const contestants = found.prepare();
  const run = contestants[side];
  if (run === undefined) throw new Error('There is no such side.');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const digests: string[] = [];
  return {
    async warmUp() {
      digests.push(digestOf((await time(contestants.warmUp?.[side] ?? run)).result));
    },
    /** The milliseconds of one event. A collection first, so that the garbage of one slice does not slow the next one down. */
    async slice() {
      collect();
      let [milliseconds, runs] = [0, 0];
      while (milliseconds < SLICE) {
        const timed = await time(run);
        milliseconds += timed.milliseconds;
        runs += 1;
        // The results of the warm-up and of the first run: both sides have to come to the same.
        if (digests.length < 2) digests.push(digestOf(timed.result));
      }
      return (milliseconds * 1_000) / runs / contestants.events;
    },
    result: () => digests.join(' '),
  };
}

async function time(run: Run): Promise<{ readonly milliseconds: number; readonly result: unknown }> {
  let start = performance.now();
  const result = await run(() => {
    start = performance.now();
  });
  return { milliseconds: performance.now() - start, result };
}

/** Members in the order of their names, because the two sides make objects in different orders. */
function digestOf(result: unknown): string {
  const text = JSON.stringify(result, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex');
}
