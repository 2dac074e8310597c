import type { InboxFilter } from '../../src/client/index.ts';
import type { Text } from '../../src/elements/index.ts';

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
  { value: '', label: 'Every decision' },
  { value: 'resolved', label: 'Answered' },
  { value: 'cancelled', label: 'Cancelled' },
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

/** The query as the host takes it: the newest decision first; requests that expired have none, and come by their age. */
export function toAuditFilter({ status, ...query }: AuditQuery): InboxFilter {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(filled),
    status: status === '' ? 'all' : status,
    order: status === 'expired' ? 'newest' : 'answered',
  };
}
