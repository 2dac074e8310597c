import { HoldpointError, isRecord } from '../core/index.ts';
import type { AccessRules, MayAnswer } from './access.ts';
import type { Principal } from './records.ts';

/** Authentication and authorization: the same options for `createHost` and `toA2a`. */
export interface AccessOptions {
  /**
   * Gives the principal of a request; null or undefined refuses with 401. A principal has a non-empty `id` and `scope`. Without it a
   * server answers requests of its own machine only.
   */
  readonly authenticate?: (
    request: Request,
  ) => Promise<Principal | null | undefined> | Principal | null | undefined;
  /** Whether a principal may do something; everything within the principal's own scope when absent. */
  readonly authorize?: NonNullable<AccessRules['authorize']>;
  /** Accepts unauthenticated requests from any address. */
  readonly allowUnauthenticated?: boolean;
  /**
   * Milliseconds between two checks whether the reader of an open stream still may read it; a reader who may not is cut off.
   * Default 30,000; 0 checks only when the stream opens and when its thread comes into being.
   */
  readonly accessCheckMs?: number;
  readonly interrupts?: {
    /** Whether a principal may answer an interrupt, beyond the approvers of the interrupt. */
    readonly mayAnswer?: MayAnswer;
  };
}

/** The caller of a server that does not authenticate. */
export const ANONYMOUS: Principal = { id: 'anonymous', scope: 'default' };

/** The headers of every response with the status 401 (RFC 9110, section 11.6.1). */
export const CHALLENGE = { 'www-authenticate': 'Bearer' } as const;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * The principal of a request. Throws `UNAUTHENTICATED` for a caller whom `authenticate` does not know, and for a principal without `id` or
 * `scope`, which `warn` is told. A server without `authenticate` answers its own machine only: `Host` and `Origin` must be
 * loopback names, so that a page from elsewhere cannot act through a person's browser. Throws `FORBIDDEN` for others.
 */
export async function callerOf(
  request: Request,
  { authenticate, allowUnauthenticated }: Pick<AccessOptions, 'authenticate' | 'allowUnauthenticated'>,
  warn: (sentence: string) => void = () => undefined,
): Promise<Principal> {
  if (authenticate !== undefined) {
    const principal: unknown = await authenticate(request);
    if (isPrincipal(principal)) return principal;
    if (principal !== null && principal !== undefined)
      warn('authenticate gave a principal without a non-empty string id and scope: refused.');
    throw new HoldpointError('UNAUTHENTICATED', 'The caller is not known.');
  }
  if (allowUnauthenticated === true) return ANONYMOUS;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (!LOOPBACK.test(host)) {
    throw new HoldpointError(
      'FORBIDDEN',
      'Without `authenticate` this server answers requests of its own machine only.',
    );
  }
  if (origin !== null && !isLoopbackOrigin(origin)) {
    throw new HoldpointError('FORBIDDEN', `Pages of ${origin} may not call this server.`);
  }
  return ANONYMOUS;
}

function isPrincipal(value: unknown): value is Principal {
  return isRecord(value) && isName(value['id']) && isName(value['scope']);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isLoopbackOrigin(origin: string): boolean {
  try {
    return LOOPBACK.test(new URL(origin).host);
  } catch {
    return false;
  }
}
