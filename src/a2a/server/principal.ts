import type { ServerCallContext, User } from '@a2a-js/sdk/server';
import type { Principal } from '../../ledger/index.ts';

/** Who calls, as the SDK wants it, with what we need to know. */
export class PrincipalUser implements User {
  readonly principal: Principal;

  constructor(principal: Principal) {
    this.principal = principal;
  }

  get isAuthenticated(): boolean {
    return true;
  }

  get userName(): string {
    return this.principal.id;
  }
}

const SCOPE = 'default';

/** Who calls; another server's user keeps its name, within the one scope. */
export function principalOf({ user }: Pick<ServerCallContext, 'user'>): Principal {
  if (user instanceof PrincipalUser) return user.principal;
  return { id: user?.userName || 'anonymous', scope: SCOPE };
}
