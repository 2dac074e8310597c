import { afterEach, expect, it } from 'vitest';
import { createClient } from '../../client/index.ts';
import { EMAIL } from '../../client/testing-support/events.ts';
import type { Exchange, Served } from '../../client/testing-support/serve.ts';
import { serve } from '../../client/testing-support/serve.ts';
import type { InboxStore } from './inbox-store.ts';
import { createInboxStore } from './inbox-store.ts';
import { stubPage } from '../testing-support/stub-page.ts';

let served: Served;
let inbox: InboxStore;
stubPage();
afterEach(async () => {
  inbox.close();
  await served.close();
});

const page = (ids: readonly string[], next?: string) => ({
  interrupts: ids.map((id) => ({ threadId: 't', status: 'pending', interrupt: { ...EMAIL, id } })),
  ...(next === undefined ? {} : { next }),
});

/** Opens an inbox on a server whose list the test answers; its stream sends nothing. */
async function openInbox(list: (exchange: Exchange, query: URLSearchParams) => void | Promise<void>) {
  served = await serve(async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://host');
    if (pathname === '/interrupts') return list(exchange, searchParams);
    await exchange.write(': quiet\n\n');
  });
  inbox = createInboxStore(createClient({ url: served.url }));
}
const ids = () => inbox.getSnapshot().items.map(({ interrupt }) => interrupt.id);

it('shows the first page of open interrupts, and the next page after more()', async () => {
  const waiting = { '': page(['a', 'b'], 'two'), two: page(['c', 'd'], 'three'), three: page(['e']) };
  await openInbox(({ json }, query) =>
    json(200, waiting[(query.get('cursor') ?? '') as keyof typeof waiting]),
  );
  await expect.poll(() => ids()).toEqual(['a', 'b']);
  expect(inbox.getSnapshot().hasMore).toBe(true);
  await inbox.more();
  expect([ids(), inbox.getSnapshot().hasMore]).toEqual([['a', 'b', 'c', 'd'], true]);
  await inbox.more();
  expect([ids(), inbox.getSnapshot().hasMore]).toEqual([['a', 'b', 'c', 'd', 'e'], false]);
  waiting[''] = page(['a']);
  await inbox.refresh();
  expect([ids(), inbox.getSnapshot().hasMore]).toEqual([['a'], false]);
});

it('keeps the newest list when an earlier response arrives late', async () => {
  const exchanges: Exchange[] = [];
  await openInbox((exchange) => void exchanges.push(exchange));
  await expect.poll(() => exchanges.length).toBe(1);
  const second = inbox.refresh();
  await expect.poll(() => exchanges.length).toBe(2);
  exchanges[1]!.json(200, page(['new']));
  await second;
  exchanges[0]!.json(200, page(['old', 'new']));
  const third = inbox.refresh();
  await expect.poll(() => exchanges.length).toBe(3);
  expect(ids()).toEqual(['new']);
  exchanges[2]!.json(200, page([]));
  await third;
  expect(ids()).toEqual([]);
});
