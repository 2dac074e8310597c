import { HoldpointError } from '../../core/index.ts';
import type { Principal } from '../../ledger/index.ts';
import { callerOf } from '../../ledger/index.ts';
import { PHRASES } from './phrases.ts';

/** The request header that names the role of the caller. */
export const ROLE_HEADER = 'holdpoint-as';

/** A person to play in the demo. The page shows the suggestions as buttons. */
export interface DemoRole {
  readonly id: string;
  readonly label: string;
  readonly roles: readonly string[];
  readonly suggestions: readonly string[];
}

/** Each person decides `ONE_OWN` alone, asks for something that waits for another role, and decides what the others ask for. */
const ONE_OWN = 'book a table';
const PAY = 'pay 2500 to ACME';
const PUBLISH = 'publish the price list';
const ORDER = 'order a laptop';

/** The person without a choice: the owner of the demo, who answers every phrase of `PHRASES` alone. */
const OWNER: DemoRole = {
  id: 'owner',
  label: 'Owner',
  roles: [],
  suggestions: PHRASES.map(({ example }) => example),
};

export const DEMO_ROLES: readonly DemoRole[] = [
  OWNER,
  { id: 'asker', label: 'Asker', roles: [], suggestions: [PAY, PUBLISH, ORDER, ONE_OWN] },
  { id: 'reviewer', label: 'Reviewer', roles: ['reviewer'], suggestions: [PAY, ORDER, ONE_OWN] },
  { id: 'cfo', label: 'CFO (finance)', roles: ['finance'], suggestions: [PUBLISH, ORDER, ONE_OWN] },
];

/**
 * The caller of the demo: the role of the header, or the owner without one. Rejects requests of other machines and
 * pages, as a host without `authenticate` does. Throws `FORBIDDEN`, or `INPUT_INVALID` for an unknown role.
 */
export async function demoCaller(request: Request): Promise<Principal> {
  const { scope } = await callerOf(request, {});
  const { id, roles } = roleNamed(request.headers.get(ROLE_HEADER) ?? OWNER.id);
  return { id, roles, scope };
}

/** Throws `INPUT_INVALID` for an unknown role. */
export function roleNamed(name: string): DemoRole {
  const role = DEMO_ROLES.find(({ id }) => id === name);
  if (role !== undefined) return role;
  const names = DEMO_ROLES.map(({ id }) => id).join(', ');
  throw new HoldpointError('INPUT_INVALID', `The demo has no role ${name}. Choose one of: ${names}.`);
}
