import type { Page } from '../test/browser/browser-types.ts';

/**
 * Loads a page and waits until it has its thread. A page may give up its first request before it is answered and send another one, and
 * may end the one that it has read to the last event.
 */
export async function whenConnected(page: Page, load: () => Promise<unknown>): Promise<void> {
  const isConnect = (request: { url(): string }) => request.url().endsWith('/connect');
  const answered = new Set<unknown>();
  page.on('response', (response) => answered.add(response.request()));
  await Promise.all([
    Promise.any([
      page.waitForEvent('requestfinished', { predicate: isConnect }),
      page.waitForEvent('requestfailed', {
        predicate: (request) => isConnect(request) && answered.has(request),
      }),
    ]),
    load(),
  ]);
}
