/** A person to play, as the demo offers them. */
export interface Role {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly string[];
}

/** The header that the demo reads the role from. */
const HEADER = 'holdpoint-as';
const KEY = 'holdpoint:as';

/** The chosen role of this tab; empty without a choice. Another tab can play another role. */
export function chosenRole(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

/** The headers of every request. */
export function roleHeaders(): Readonly<Record<string, string>> {
  const role = chosenRole();
  return role === '' ? {} : { [HEADER]: role };
}

/** Chooses a role and reloads the page, because open streams belong to the earlier role. */
export function chooseRole(role: string): void {
  sessionStorage.setItem(KEY, role);
  // The new role may not see the open conversation or request.
  const [, page = ''] = location.pathname.split('/');
  location.assign(`/${page === 'chat' ? '' : page}${location.search}`);
}
