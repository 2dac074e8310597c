import { HoldpointError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';

/** Buckets that fill again within a minute, by name. */
interface Buckets {
  /** Whether something is left in a bucket. */
  has(name: string): boolean;
  take(name: string): void;
}

/** The bucket that was used least recently goes when there are more. */
const MOST_BUCKETS = 10_000;

function createBuckets(perMinute: number, now: () => number): Buckets {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  const leftIn = (name: string) => {
    const { left, at } = buckets.get(name) ?? { left: perMinute, at: now() };
    return Math.min(perMinute, left + ((now() - at) / 60_000) * perMinute);
  };
  return {
    has: (name) => leftIn(name) >= 1,
    take(name) {
      const left = Math.max(0, leftIn(name) - 1);
      buckets.delete(name);
      buckets.set(name, { left, at: now() });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_BUCKETS && oldest !== undefined) buckets.delete(oldest);
    },
  };
}

/** A bucket for each principal. Throws `RATE_LIMITED` when one is empty. */
export function createRateLimit(
  perMinute: number,
  now: () => number = () => Date.now(),
): (who: Principal) => void {
  const buckets = createBuckets(perMinute, now);
  return ({ scope, id }) => {
    const name = JSON.stringify([scope, id]);
    if (!buckets.has(name)) throw tooMany(`${perMinute} requests`);
    buckets.take(name);
  };
}

/** Counts failed logins by where they come from. */
export function createLoginLimit(
  perMinute: number,
  now: () => number = () => Date.now(),
): {
  /** Throws `RATE_LIMITED` before anybody is asked who is calling. */
  check(source: string): void;
  failed(source: string): void;
} {
  const buckets = createBuckets(perMinute, now);
  return {
    check(source) {
      if (!buckets.has(source)) throw tooMany(`${perMinute} failed logins`);
    },
    failed: (source) => buckets.take(source),
  };
}

function tooMany(what: string): HoldpointError {
  return new HoldpointError('RATE_LIMITED', `At most ${what} a minute; try again in a moment.`);
}
