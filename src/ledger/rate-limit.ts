import { digestJson, HoldpointError } from '../core/index.ts';
import type { AccessOptions } from './gate.ts';
import { callerOf } from './gate.ts';
import type { Principal } from './records.ts';

/** The client of a request, as the server knows it. */
export interface RequestSource {
  /** The address of the client, for the limit of failed logins. */
  readonly clientAddress?: string | undefined;
  /** The request of Node; its socket leads to the client or to a proxy. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** Token buckets by name; each refills within a minute. */
interface Buckets {
  /** Whether a bucket has a token left. */
  has(name: string): boolean;
  take(name: string): void;
}

/** Above this number, the least recently used bucket is removed. */
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

/** A bucket for each principal. Throws `RATE_LIMITED` if it is empty. */
function createRateLimit(perMinute: number, now: () => number): (who: Principal) => void {
  const buckets = createBuckets(perMinute, now);
  return ({ scope, id }) => {
    const name = JSON.stringify([scope, id]);
    if (!buckets.has(name)) throw tooMany(perMinute, 'requests');
    buckets.take(name);
  };
}

/** Returns the principal of a request. Throws like {@link callerOf}, and `RATE_LIMITED` after too many requests or failed logins. */
export type Login = (request: Request, source?: RequestSource) => Promise<Principal>;

/** Authenticates requests with {@link callerOf}, and limits the requests of each principal and the failed logins of each source. */
export function createLogin(
  options: AccessOptions & { readonly origins?: readonly string[] | undefined },
  warn: (sentence: string) => void,
  now: () => number = () => Date.now(),
): Login {
  const { failedLoginsPerMinute: perMinute = 60, requestsPerMinute = 1200 } = options.limits ?? {};
  const limit = createRateLimit(requestsPerMinute, now);
  const buckets = createBuckets(perMinute, now);
  const sourceOf = createSources(options.clientAddressHeader, warn);
  return async (request, source) => {
    const name = sourceOf(request, source);
    if (!buckets.has(name)) throw tooMany(perMinute, 'failed logins');
    try {
      const principal = await callerOf(request, options, warn);
      limit(principal);
      return principal;
    } catch (error) {
      if (HoldpointError.is(error, 'UNAUTHENTICATED')) buckets.take(name);
      throw error;
    }
  };
}

function tooMany(perMinute: number, what: string): HoldpointError {
  const sentence = `At most ${perMinute} ${what} a minute; try again in a moment.`;
  // One token comes back after this time.
  const retryAfterMs = Math.ceil(60_000 / perMinute);
  return new HoldpointError('RATE_LIMITED', sentence, { details: { retryAfterMs } });
}

/** Addresses of this machine and of private networks. */
const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe[89ab]|0:0:0:0$)/;

const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * The source of a request for the count of failed logins: the address of the client. If it is unknown, or that of a
 * proxy, a digest of the credentials: so repeated wrong credentials are limited and other callers are not affected.
 */
function createSources(
  header: string | undefined,
  warn: (sentence: string) => void,
): (request: Request, source: RequestSource | undefined) => string {
  let isWarned = false;
  return ({ headers }, source) => {
    // A proxy appends to the list; the client may have written the entries before.
    const named = header === undefined ? '' : (headers.get(header)?.split(',').at(-1)?.trim() ?? '');
    if (named !== '') return networkOf(named);
    if (source?.clientAddress !== undefined) return networkOf(source.clientAddress);
    const peer = source?.incoming?.socket?.remoteAddress;
    const network = peer === undefined ? undefined : networkOf(peer);
    const isProxy =
      network !== undefined && PRIVATE.test(network) && FORWARDING.some((name) => headers.has(name));
    if (network !== undefined && !isProxy) return network;
    if (isProxy && !isWarned) {
      isWarned = true;
      warn('A proxy forwards requests: set clientAddressHeader to limit failed logins by address.');
    }
    return digestJson([headers.get('authorization'), headers.get('cookie')]);
  };
}

/** The address; for IPv6 its first 64 bits, because one client controls the rest. */
function networkOf(address: string): string {
  const text = address.trim().toLowerCase();
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/.exec(text)?.[1];
  if (mapped !== undefined || !text.includes(':')) return mapped ?? text;
  const [head = '', tail] = (text.split('%')[0] ?? text).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
