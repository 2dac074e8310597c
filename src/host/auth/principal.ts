import { HoldpointError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';
import type { HostOptions } from '../host-options.ts';

/** Who calls a host that asks nobody who they are. */
export const NOBODY: Principal = { id: 'anonymous', scope: 'default' };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Who is calling. Throws `UNAUTHENTICATED`. A host that cannot tell serves the machine it runs on and nobody else: the
 * names in `Host` and `Origin` must be its own, so that a page from elsewhere cannot act through a person's browser.
 */
export async function principalOf(
  request: Request,
  options: Pick<HostOptions, 'authenticate' | 'allowUnauthenticated'>,
): Promise<Principal> {
  const { authenticate, allowUnauthenticated } = options;
  if (authenticate !== undefined) {
    const principal = await authenticate(request);
    if (principal === null) throw new HoldpointError('UNAUTHENTICATED', 'Who is calling is not known.');
    return principal;
  }
  if (allowUnauthenticated === true) return NOBODY;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (!isLoopback(host)) {
    throw new HoldpointError(
      'FORBIDDEN',
      'This host serves the machine it runs on only: it knows nobody by name.',
    );
  }
  if (origin !== null && !isLoopbackOrigin(origin)) {
    throw new HoldpointError('FORBIDDEN', `Pages of ${origin} may not call this host.`);
  }
  return NOBODY;
}

/** Whether a name in `Host` is this very machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function isLoopbackOrigin(origin: string): boolean {
  try {
    return isLoopback(new URL(origin).host);
  } catch {
    return false;
  }
}
