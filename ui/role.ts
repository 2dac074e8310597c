import { setViewer } from '../src/elements/index.ts';
import { BASE_PATH, routeOf } from './router.ts';

/** A person to play, as the demo offers them. */
export interface Role {
  readonly id: string;
  readonly label: string;
  readonly suggestions: readonly string[];
}

/** The header that the demo reads the role from. */
const HEADER = 'holdpoint-as';
const KEY = 'holdpoint:as';

/** The chosen role of this tab; empty without a choice. A new tab begins with the role of the tab that was used last. */
export function chosenRole(): string {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? '';
}

/** Keeps the role for this tab, and for tabs that are opened from it. */
function keepRole(role: string): void {
  sessionStorage.setItem(KEY, role);
  localStorage.setItem(KEY, role);
}

/** Gives this tab a role of its own. Call it once. */
export function startRole(): void {
  keepRole(chosenRole());
  setViewer(chosenRole());
  addEventListener('focus', () => keepRole(chosenRole()));
}

/** The headers of every request. */
export function roleHeaders(): Readonly<Record<string, string>> {
  const role = chosenRole();
  return role === '' ? {} : { [HEADER]: role };
}

/** Chooses a role and reloads the page, because open streams belong to the earlier role. */
export function chooseRole(role: string): void {
  keepRole(role);
  // The new role may not see the open conversation or request.
  const { page } = routeOf(location.pathname);
  location.assign(`${BASE_PATH}/${page === 'inbox' || page === 'audit' ? page : ''}${location.search}`);
}
