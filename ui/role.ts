/** A person to play, as the demo offers them. */
export interface Role {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly string[];
}

/** The header that the demo reads the role from. */
const HEADER = 'holdpoint-as';
const KEY = 'holdpoint:as';

/** The chosen role of this tab; empty for the owner. Another tab can play another role. */
export function chosenRole(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

/** The headers of every request. */
export function roleHeaders(): Readonly<Record<string, string>> {
  const role = chosenRole();
  return role === '' ? {} : { [HEADER]: role };
}

/** Chooses a role and loads the page anew, because open streams belong to the role before. */
export function chooseRole(role: string): void {
  if (role === '') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, role);
  // A conversation or a request of the role before may be hidden from this one.
  const [, page = ''] = location.pathname.split('/');
  location.assign(`/${page === 'chat' ? '' : page}${location.search}`);
}
