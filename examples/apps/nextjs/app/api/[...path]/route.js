import { getHost } from '../../../host.mjs';

export const dynamic = 'force-dynamic';

/** The routes of the host, below /api. */
function handle(request) {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/^\/api/, '');
  return getHost().fetch(new Request(url, request));
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST };
