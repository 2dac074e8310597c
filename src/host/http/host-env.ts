import type { Principal } from '../../ledger/index.ts';

/** What a server knows of a request besides the request itself. */
export interface RequestSource {
  /** The address of the client itself, by which failed logins are limited. */
  readonly clientAddress?: string | undefined;
  /** Node's own request; the other end of its socket is the client, or a proxy. */
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** What the routes know of a request before they look at it. */
export interface HostEnv {
  readonly Bindings: RequestSource;
  readonly Variables: { principal: Principal };
}
