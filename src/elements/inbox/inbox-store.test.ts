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

/** Opens an inbox on a server whose list and stream the test answers. */
async function openInbox(
  list: (exchange: Exchange, query: URLSearchParams) => void | Promise<void>,
  frames: readonly object[] = [],
) {
  served = await serve(async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://host');
    if (pathname === '/interrupts') return list(exchange, searchParams);
    await exchange.write(': quiet\n\n');
    for (const frame of frames) await exchange.write(`data: ${JSON.stringify(frame)}\n\n`);
  });
  inbox = createInboxStore(createClient({ url: served.url }));
}
const ids = () => inbox.getSnapshot().items.map(({ interrupt }) => interrupt.id);

it('shows the first frame of the stream without loading the list', async () => {
  const asked: string[] = [];
  await openInbox(
    ({ json }, query) => {
      asked.push(String(query));
      json(200, page(['x']));
    },
    [page(['a', 'b'])],
  );
  await expect.poll(() => ids()).toEqual(['a', 'b']);
  expect([asked, inbox.getSnapshot().hasMore]).toEqual([[], false]);
});

it('appends the next page after more(), by the cursor of the page before', async () => {
  const first = Array.from({ length: 100 }, (_, n) => `i${n}`);
  const pages = { two: page(['c', 'd'], 'three'), three: page(['e']) };
  const asked: string[] = [];
  await openInbox(
    ({ json }, query) => {
      asked.push(String(query));
      json(200, pages[query.get('cursor') as keyof typeof pages]);
    },
    [page(first, 'two')],
  );
  await expect.poll(() => inbox.getSnapshot().hasMore).toBe(true);
  await inbox.more();
  await inbox.more();
  expect([ids(), inbox.getSnapshot().hasMore]).toEqual([[...first, 'c', 'd', 'e'], false]);
  await inbox.more();
  expect(asked).toEqual(['two', 'three'].map((cursor) => `order=expiring&limit=100&cursor=${cursor}`));
});

it('keeps the newest list when an earlier response arrives late', async () => {
  const exchanges: Exchange[] = [];
  await openInbox((exchange) => void exchanges.push(exchange));
  const first = inbox.refresh();
  await expect.poll(() => exchanges.length).toBe(1);
  const second = inbox.refresh();
  await expect.poll(() => exchanges.length).toBe(2);
  exchanges[1]!.json(200, page(['new']));
  await second;
  exchanges[0]!.json(200, page(['old', 'new']));
  await first;
  expect(ids()).toEqual(['new']);
  const third = inbox.refresh();
  await expect.poll(() => exchanges.length).toBe(3);
  exchanges[2]!.json(200, page([]));
  await third;
  expect(ids()).toEqual([]);
});

it('keeps the expired interrupts at the end of a long list when only its first page is loaded again', async () => {
  const raisedAt = '2026-01-01T00:00:00Z';
  const open = (from: number, count: number) =>
    page(Array.from({ length: count }, (_, n) => `i${from + n}`)).interrupts.map((item) => ({
      ...item,
      raisedAt,
    }));
  const over = { ...EMAIL, id: 'over', expiresAt: '2026-01-02T00:00:00Z' };
  const first = { interrupts: open(0, 100), next: 'two' };
  const later = {
    two: { interrupts: open(100, 950), next: 'three' },
    three: { interrupts: [{ threadId: 't', status: 'expired', interrupt: over, raisedAt }] },
  };
  await openInbox(
    ({ json }, query) => json(200, later[query.get('cursor') as keyof typeof later] ?? first),
    [first],
  );
  await expect.poll(() => inbox.getSnapshot().hasMore).toBe(true);
  await inbox.more();
  await inbox.more();
  expect(ids()).toHaveLength(1051);
  await inbox.refresh();
  expect([ids().length, ids().at(0), ids().at(-1)]).toEqual([1051, 'i0', 'over']);
});
