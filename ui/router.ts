/** A page of the app. */
export type Route =
  | { readonly page: 'chat'; readonly threadId: string | undefined }
  | { readonly page: 'inbox'; readonly request: RequestPlace | undefined }
  | { readonly page: 'audit' }
  | { readonly page: 'unknown' };

/** The place of an interrupt. */
export interface RequestPlace {
  readonly threadId: string;
  readonly interruptId: string;
}

/** The path of the host, such as `/ai`; empty for a host at the root. This file is served below it, in `/assets/`. */
export const BASE_PATH = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** The page of a path of this site. */
export function routeOf(pathname: string): Route {
  const [page, first, second, ...rest] = withoutBase(pathname).split('/').filter(Boolean).map(decode);
  if (page === undefined) return { page: 'chat', threadId: undefined };
  if (page === 'chat' && second === undefined) return { page, threadId: first };
  if (page === 'audit' && first === undefined) return { page };
  if (page === 'inbox' && first === undefined) return { page, request: undefined };
  if (page === 'inbox' && first !== undefined && second !== undefined && rest.length === 0)
    return { page, request: { threadId: first, interruptId: second } };
  return { page: 'unknown' };
}

export function chatPath(threadId: string | undefined): string {
  return threadId === undefined ? '/' : `/chat/${encodeURIComponent(threadId)}`;
}

export function interruptPath(threadId: string, interruptId: string): string {
  return `/inbox/${encodeURIComponent(threadId)}/${encodeURIComponent(interruptId)}`;
}

function withoutBase(pathname: string): string {
  return pathname.startsWith(`${BASE_PATH}/`) ? pathname.slice(BASE_PATH.length) : pathname;
}

/** The address of a path of the app, with the current agent parameter; the path may have a query of its own. */
export function withAgent(path: string): string {
  const agent = new URLSearchParams(location.search).get('agent');
  const [pathname = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  if (agent !== null && !query.has('agent')) query.set('agent', agent);
  return BASE_PATH + (query.size === 0 ? pathname : `${pathname}?${query}`);
}

/** Navigates without loading a document. */
export function goTo(path: string, how: 'push' | 'replace' = 'push'): void {
  const address = withAgent(path);
  if (how === 'push') history.pushState(undefined, '', address);
  else history.replaceState(undefined, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** Follows a link within the app without loading a document; other links are left to the browser. */
export function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin || link.hasAttribute('download'))
    return;
  const path = withoutBase(link.pathname);
  if (!/^\/(?:$|chat(?:\/|$)|inbox(?:\/|$)|audit$)/.test(path)) return;
  event.preventDefault();
  goTo(path + link.search);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
