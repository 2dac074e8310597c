/** A page of the app. */
export type Route =
  | { readonly page: 'chat'; readonly threadId: string | undefined }
  | { readonly page: 'inbox' }
  | { readonly page: 'interrupt'; readonly threadId: string; readonly interruptId: string };

/** The page of a path; an unknown path is the chat. */
export function routeOf(pathname: string): Route {
  const [page, threadId, interruptId] = pathname.split('/').filter(Boolean).map(decode);
  if (page === 'chat') return { page, threadId };
  if (page !== 'inbox') return { page: 'chat', threadId: undefined };
  if (threadId === undefined || interruptId === undefined) return { page };
  return { page: 'interrupt', threadId, interruptId };
}

export function chatPath(threadId: string | undefined): string {
  return threadId === undefined ? '/' : `/chat/${encodeURIComponent(threadId)}`;
}

export function interruptPath(threadId: string, interruptId: string): string {
  return `/inbox/${encodeURIComponent(threadId)}/${encodeURIComponent(interruptId)}`;
}

/** A path with the current agent parameter. */
export function withAgent(path: string): string {
  const agent = new URLSearchParams(location.search).get('agent');
  return agent === null ? path : `${path}?agent=${encodeURIComponent(agent)}`;
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
  if (!/^\/(?:$|chat(?:\/|$)|inbox(?:\/|$))/.test(link.pathname)) return;
  event.preventDefault();
  goTo(link.pathname);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
