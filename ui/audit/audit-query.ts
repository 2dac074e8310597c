import type { Client, InboxFilter, InboxItem, InboxPage } from '../../src/client/index.ts';
import type { Decision, Text } from '../../src/elements/index.ts';
import { givenAnswerOf, itemKey } from '../../src/elements/index.ts';
import { expiryOf } from '../../src/protocol/index.ts';
import { readDecision } from '../inbox/request-context.ts';

/** The filter of the audit page, as its address has it. */
export interface AuditQuery {
  readonly text: string;
  readonly status: string;
  readonly agent: string;
  readonly tool: string;
  readonly answeredBy: string;
}

const NAMES = { text: 'q', status: 'status', agent: 'from', tool: 'tool', answeredBy: 'by' } as const;
const MEMBERS = Object.keys(NAMES) as (keyof AuditQuery)[];

/** The statuses to choose from, and their labels. */
export const STATUSES: readonly { readonly value: string; readonly label: Text }[] = [
  { value: '', label: 'Any decision' },
  { value: 'approved', label: 'Approved' },
  { value: 'granted', label: 'Ran without asking' },
  { value: 'failed', label: 'Failed or unknown calls' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'answered', label: 'Answered questions' },
  { value: 'cancelled', label: 'Cancelled or withdrawn' },
  { value: 'answered,claimed', label: 'In progress' },
  { value: 'expired', label: 'Expired' },
];

export function readAuditQuery(search: string): AuditQuery {
  const given = new URLSearchParams(search);
  const texts = Object.fromEntries(MEMBERS.map((name) => [name, given.get(NAMES[name]) ?? '']));
  const query = { text: '', status: '', agent: '', tool: '', answeredBy: '', ...texts };
  return STATUSES.some(({ value }) => value === query.status) ? query : { ...query, status: '' };
}

/** The query as an address has it, with its question mark; empty without a filter. */
export function writeAuditQuery(query: AuditQuery): string {
  const members = MEMBERS.flatMap((name) => (query[name] === '' ? [] : [[NAMES[name], query[name]]]));
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

/** The query as the host takes it: the newest decision first; a request that expired may have none, and comes by its age. */
function toAuditFilter({ status, ...query }: AuditQuery): InboxFilter {
  const filled = Object.entries(query)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(filled),
    status: status === '' ? 'all' : isDecision(status) ? hostStatuses(status) : status,
    order: status === 'expired' ? 'newest' : 'answered',
  };
}

/** The states that a request with this decision can have on the host. */
function hostStatuses(status: string): string {
  return status === 'expired' ? 'expired,resolved,cancelled' : 'answered,claimed,resolved,cancelled';
}

const FAILED = 'failed';
const DECISIONS: Readonly<Record<string, readonly Decision[]>> = {
  approved: ['approved', 'changed'],
  granted: ['granted'],
  rejected: ['rejected'],
  answered: ['answered', 'skipped'],
  cancelled: ['cancelled', 'withdrawn'],
  expired: ['expired'],
};

/** Decisions and outcomes that this page filters itself, because the host does not read answers. */
function isDecision(status: string): boolean {
  return status === FAILED || Object.hasOwn(DECISIONS, status);
}

/** Most requests that one call of {@link listDecisions} reads. */
const MOST_READ = 5000;
const LARGEST_PAGE = 500;

/** The answered requests and, by the time of their expiry, those that expired without an answer: the host's order leaves them out. */
async function listEveryDecision(
  inbox: Pick<Client['inbox'], 'list'>,
  query: AuditQuery,
  { limit, cursor = '' }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<InboxPage> {
  // The time of the last answer on the page before, and the cursor of the host.
  const [, before = '', after = ''] = /^(\d*)\.(.*)$/s.exec(cursor) ?? [];
  const until = before === '' ? Infinity : Number(before);
  const answered = await inbox.list({
    ...toAuditFilter(query),
    limit,
    ...(after === '' ? {} : { cursor: after }),
  });
  const last = answered.interrupts.at(-1);
  const from = answered.next === undefined ? -Infinity : last === undefined ? until : timeOf(last);
  const expired = (await listExpired(inbox, query)).filter(
    (item) => timeOf(item) > from && timeOf(item) <= until,
  );
  const interrupts = [...answered.interrupts, ...expired].toSorted((a, b) => timeOf(b) - timeOf(a));
  const end = Number.isFinite(from) ? from : '';
  return { interrupts, ...(answered.next === undefined ? {} : { next: `${end}.${answered.next}` }) };
}

/** Every request that expired without an answer. */
async function listExpired(
  inbox: Pick<Client['inbox'], 'list'>,
  query: AuditQuery,
): Promise<readonly InboxItem[]> {
  const filter: InboxFilter = {
    ...toAuditFilter(query),
    status: 'expired',
    order: 'newest',
    limit: LARGEST_PAGE,
  };
  const found: InboxItem[] = [];
  let page: InboxPage | undefined;
  do {
    page = await inbox.list({ ...filter, ...(page?.next === undefined ? {} : { cursor: page.next }) });
    found.push(...page.interrupts.filter((item) => givenAnswerOf(item) === undefined));
  } while (page.next !== undefined);
  return found;
}

/** When a request was answered; one without an answer: when it expired. */
function timeOf(item: InboxItem): number {
  return givenAnswerOf(item)?.at ?? expiryOf(item.interrupt) ?? 0;
}

/**
 * A page of the decisions of a query. Approvals, rejections and the like are picked from the answered requests, so it reads on until
 * `limit` are found, the list ends, or {@link MOST_READ} were read; `next` continues there.
 */
export async function listDecisions(
  inbox: Pick<Client['inbox'], 'list'>,
  query: AuditQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<InboxPage> {
  if (query.status === '') return listEveryDecision(inbox, query, { limit, cursor });
  const filter = toAuditFilter(query);
  const pageAfter = (after: string | undefined, size: number) =>
    inbox.list({ ...filter, limit: size, ...(after === undefined ? {} : { cursor: after }) });
  if (!isDecision(query.status)) return pageAfter(cursor, limit);
  const found: InboxItem[] = [];
  let next = cursor;
  for (let read = 0; read < MOST_READ && found.length < limit;) {
    const page = await pageAfter(next, LARGEST_PAGE);
    found.push(...page.interrupts.filter((item) => isDecided(item, query.status)));
    next = page.next;
    read += page.interrupts.length;
    if (next === undefined) break;
  }
  return { interrupts: found, ...(next === undefined ? {} : { next }) };
}

/** Decisions that a page shows, and how many of them its requests have asked for. */
export interface LoadedDecisions extends InboxPage {
  /** The sum of the limits. A page may have more decisions, because it adds those that expired without an answer. */
  readonly wanted: number;
}

/**
 * Reads the decisions of a query again, up to the last one that is shown. New decisions come first, so `wanted` grows when a
 * limit no longer reaches that one.
 */
export async function listDecisionsAgain(
  inbox: Pick<Client['inbox'], 'list'>,
  query: AuditQuery,
  {
    shown,
    wanted,
    step,
  }: { readonly shown: readonly InboxItem[]; readonly wanted: number; readonly step: number },
): Promise<LoadedDecisions> {
  const last = shown.at(-1);
  const lastKey = last === undefined ? undefined : itemKey(last);
  const interrupts: InboxItem[] = [];
  // The last one may be gone: its answer was taken back, or it is no longer in progress.
  const hasReachedLast = () =>
    last === undefined ||
    interrupts.some((item) => itemKey(item) === lastKey) ||
    interrupts.length >= shown.length + step;
  let asked = 0;
  let next: string | undefined;
  do {
    const limit = asked < wanted ? Math.min(LARGEST_PAGE, wanted - asked) : step;
    const page = await listDecisions(inbox, query, { limit, cursor: next });
    interrupts.push(...page.interrupts);
    asked += limit;
    next = page.next;
  } while (next !== undefined && (asked < wanted || !hasReachedLast()));
  return { interrupts, wanted: asked, ...(next === undefined ? {} : { next }) };
}

function isDecided(item: InboxItem, status: string): boolean {
  const { decision, outcome } = readDecision(item);
  if (status === FAILED) return outcome === FAILED || outcome === 'unknown';
  return DECISIONS[status]?.includes(decision) === true;
}
