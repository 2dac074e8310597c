import { HoldpointError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';

/** A bucket for each principal that fills again within a minute. Throws `RATE_LIMITED` when one is empty. */
export function createRateLimit(
  perMinute: number,
  now: () => number = () => Date.now(),
): (who: Principal) => void {
  const buckets = new Map<string, { left: number; at: number }>();
  return ({ scope, id }) => {
    const name = JSON.stringify([scope, id]);
    const time = now();
    const bucket = buckets.get(name) ?? { left: perMinute, at: time };
    bucket.left = Math.min(perMinute, bucket.left + ((time - bucket.at) / 60_000) * perMinute);
    bucket.at = time;
    if (bucket.left < 1) {
      throw new HoldpointError(
        'RATE_LIMITED',
        `At most ${perMinute} requests a minute; try again in a moment.`,
      );
    }
    bucket.left -= 1;
    buckets.set(name, bucket);
    if (buckets.size > 10_000) forgetFull(buckets, { perMinute, time });
  };
}

/** Whoever has been quiet for a minute is as good as new. */
function forgetFull(
  buckets: Map<string, { left: number; at: number }>,
  { perMinute, time }: { readonly perMinute: number; readonly time: number },
): void {
  for (const [name, { left, at }] of buckets) {
    if (left + ((time - at) / 60_000) * perMinute >= perMinute) buckets.delete(name);
  }
}
