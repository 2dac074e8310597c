import type { InboxFilter } from '../../client/index.ts';

/** The filter and the order of the inbox, as its address has them. The server applies them to every open interrupt. */
export interface InboxQuery {
  readonly q: string;
  readonly reason: string;
  readonly agent: string;
  readonly askedBy: string;
  /** Minimum age in milliseconds; 0 for any. */
  readonly olderThanMs: number;
  readonly order: 'expiring' | 'newest' | 'oldest';
}

/** Every open interrupt, the one that expires first on top. */
export const ALL_OPEN: InboxQuery = {
  q: '',
  reason: '',
  agent: '',
  askedBy: '',
  olderThanMs: 0,
  order: 'expiring',
};

/** The names in the address; `agent` in an address is the agent of the chat. */
const NAMES = { q: 'q', reason: 'kind', agent: 'from', askedBy: 'for' } as const;
const TEXTS = Object.keys(NAMES) as (keyof typeof NAMES)[];

/** Reads the query of an address; values that are not known count as absent. */
export function readInboxQuery(search: string): InboxQuery {
  const given = new URLSearchParams(search);
  const texts = Object.fromEntries(TEXTS.map((name) => [name, given.get(NAMES[name]) ?? '']));
  const age = Number(given.get('age') ?? 0);
  const order = given.get('order');
  return {
    ...ALL_OPEN,
    ...texts,
    olderThanMs: Number.isSafeInteger(age) && age > 0 ? age : 0,
    order: order === 'newest' || order === 'oldest' ? order : 'expiring',
  };
}

/** The query as an address has it, with its question mark; empty for {@link ALL_OPEN}. */
export function writeInboxQuery(query: InboxQuery): string {
  const members = TEXTS.flatMap((name) => (query[name] === '' ? [] : [[NAMES[name], query[name]]]));
  if (query.olderThanMs > 0) members.push(['age', String(query.olderThanMs)]);
  if (query.order !== ALL_OPEN.order) members.push(['order', query.order]);
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

/** The query as the host takes it. `now` is the server's time in milliseconds. */
export function toInboxFilter(query: InboxQuery, now: number): InboxFilter {
  const { q, reason, agent, askedBy, olderThanMs, order } = query;
  return {
    order,
    ...(q === '' ? {} : { text: q }),
    ...(reason === '' ? {} : { reason }),
    ...(agent === '' ? {} : { agent }),
    ...(askedBy === '' ? {} : { askedBy }),
    ...(olderThanMs === 0 ? {} : { raisedBefore: new Date(now - olderThanMs).toISOString() }),
  };
}
