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

/** An inbox of a server that answers what is asked of its list as the test says; its stream is quiet. */
async function openInbox(list: (exchange: Exchange, asked: URLSearchParams) => void | Promise<void>) {
  served = await serve(async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://host');
    if (pathname === '/interrupts') return list(exchange, searchParams);
    await exchange.write(': quiet\n\n');
  });
  inbox = createInboxStore(createClient({ url: served.url }));
}
const ids = () => inbox.getSnapshot().items.map(({ interrupt }) => interrupt.id);

it('shows a page of what waits, and more of it when it is asked to', async () => {
  const waiting = { '': page(['a', 'b'], 'two'), two: page(['c', 'd'], 'three'), three: page(['e']) };
  await openInbox(({ json }, asked) =>
    json(200, waiting[(asked.get('cursor') ?? '') as keyof typeof waiting]),
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

it('keeps what it was told last, however late an earlier answer comes', async () => {
  const asked: Exchange[] = [];
  await openInbox((exchange) => void asked.push(exchange));
  await expect.poll(() => asked.length).toBe(1);
  const second = inbox.refresh();
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.json(200, page(['new']));
  await second;
  asked[0]!.json(200, page(['old', 'new']));
  const third = inbox.refresh();
  await expect.poll(() => asked.length).toBe(3);
  expect(ids()).toEqual(['new']);
  asked[2]!.json(200, page([]));
  await third;
  expect(ids()).toEqual([]);
});
