import type { Principal } from '../../ledger/index.ts';

/** What the routes know of a request before they look at it. */
export interface HostEnv {
  readonly Variables: { principal: Principal };
}
