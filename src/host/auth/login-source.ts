import type { Logger } from '../host-options.ts';
import type { RequestSource } from '../http/host-env.ts';

/** Addresses of this machine and of networks that nobody outside can send from. */
const PRIVATE = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|f[cd]|fe[89ab]|0:0:0:0$)/;

const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * Names where a request comes from, for a count of failed logins: the client's address. Where the address is not known, or is that
 * of a proxy, the credentials that were sent: the same wrong ones are refused after a while, and nobody else is.
 */
export function createSources(
  header: string | undefined,
  logger: Logger,
): (request: Request, source: RequestSource | undefined) => string {
  let isWarned = false;
  return ({ headers }, source) => {
    // A proxy adds to the end of a list; what stands before it was written by the client.
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
      logger.warn(
        {},
        'A proxy forwards requests: set clientAddressHeader to limit failed logins by address.',
      );
    }
    return JSON.stringify([headers.get('authorization'), headers.get('cookie')]);
  };
}

/** The address itself; of IPv6 the first 64 bits, since one client has all of the rest. */
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
