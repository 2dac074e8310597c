import { HoldpointError } from './holdpoint-error.ts';

const MAX_REDIRECTS = 5;

/**
 * Sends a request, and follows redirects to the given origins only: the headers may have credentials, and a remote agent must not
 * choose which addresses the host can reach. Throws `PROTOCOL_UNSUPPORTED` for a redirect to another origin.
 */
export async function fetchWithin(
  origins: ReadonlySet<string>,
  url: string,
  { init, send = fetch }: { readonly init: RequestInit; readonly send?: typeof fetch },
): Promise<Response> {
  const isGet = (init.method ?? 'GET') === 'GET';
  let place = url;
  for (let hops = 0; ; hops += 1) {
    const response = await send(place, { ...init, redirect: 'manual' });
    const { status, headers, body } = response;
    const location = headers.get('location');
    // Other redirects turn a POST into a GET.
    const isRedirect = [307, 308].includes(status) || (isGet && [301, 302, 303].includes(status));
    if (!isRedirect || location === null || !URL.canParse(location, place) || hops === MAX_REDIRECTS)
      return response;
    const next = new URL(location, place);
    if (!origins.has(next.origin)) {
      const from = new URL(place).origin;
      const sentence = `${from} redirects to another origin, ${next.origin}. Holdpoint does not follow: set the address to the new one.`;
      throw new HoldpointError('PROTOCOL_UNSUPPORTED', sentence);
    }
    await body?.cancel();
    place = next.href;
  }
}
