import { expect, it } from 'vitest';
import type { Client, InboxFilter, InboxItem } from '../src/client/index.ts';
import { listDecisions, listDecisionsAgain, readAuditQuery } from '../ui/audit/audit-query.ts';

const time = (minute: number) => new Date(Date.UTC(2030, 0, 1, 10, minute)).toISOString();
const answered = (minute: number): InboxItem => ({
  threadId: 't',
  interrupt: { id: `answered ${minute}`, reason: 'tool_call' },
  status: 'resolved',
  answer: { by: 'ana', at: time(minute), status: 'resolved', payload: { approved: true } },
});
const expired = (minute: number): InboxItem => ({
  threadId: 't',
  interrupt: { id: `expired ${minute}`, reason: 'tool_call', expiresAt: time(minute) },
  status: 'expired',
});

/** An inbox that, like the host, lists answered requests without those that have no answer. */
function inboxOf(items: readonly InboxItem[]): Pick<Client['inbox'], 'list'> {
  const list = ({ status, order, limit = 100, cursor = '0' }: InboxFilter = {}) => {
    const found = items.filter((item) =>
      order === 'answered' ? item['answer'] !== undefined : status === item['status'],
    );
    const end = Number(cursor) + limit;
    const next = end < found.length ? { next: String(end) } : {};
    return Promise.resolve({ interrupts: found.slice(Number(cursor), end), ...next });
  };
  return { list };
}

it('lists under "Any decision" also the requests that expired without an answer, by their time', async () => {
  const inbox = inboxOf([...[50, 40, 30, 20].map(answered), ...[55, 45, 40, 30, 10].map(expired)]);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await listDecisions(inbox, readAuditQuery(''), { limit: 2, cursor });
    pages.push(page.interrupts.map(({ interrupt }) => interrupt.id));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(pages).toEqual([
    ['expired 55', 'answered 50', 'expired 45', 'answered 40'],
    ['expired 40', 'answered 30', 'expired 30', 'answered 20', 'expired 10'],
  ]);
  const none = await listDecisions(inboxOf([expired(10)]), readAuditQuery(''), { limit: 2 });
  expect(none.interrupts).toHaveLength(1);
});

it('reads the shown decisions again with those that came since, and keeps every loaded page', async () => {
  const items = [...Array.from({ length: 30 }, (_, n) => answered(50 - n)), expired(45), expired(10)];
  const query = readAuditQuery('');
  const idsOf = (page: { readonly interrupts: readonly InboxItem[] }) =>
    page.interrupts.map(({ interrupt }) => interrupt.id);
  const first = await listDecisions(inboxOf(items), query, { limit: 5 });
  const more = await listDecisions(inboxOf(items), query, { limit: 5, cursor: first.next });
  const shown = [...first.interrupts, ...more.interrupts];
  const again = await listDecisionsAgain(inboxOf(items), query, { shown, wanted: 10, step: 5 });
  expect([idsOf(again), again.wanted]).toEqual([shown.map(({ interrupt }) => interrupt.id), 10]);
  const grown = inboxOf([answered(52), answered(51), ...items]);
  const later = await listDecisionsAgain(grown, query, { shown, wanted: 10, step: 5 });
  expect(idsOf(later).slice(0, shown.length + 2)).toEqual(['answered 52', 'answered 51', ...idsOf(again)]);
  const settled = await listDecisionsAgain(grown, query, {
    shown: later.interrupts,
    wanted: later.wanted,
    step: 5,
  });
  expect(idsOf(settled)).toEqual(idsOf(later));
});
