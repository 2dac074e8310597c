import { defined } from '../core/index.ts';
import type { ListQuery, Page, Row } from '../store/index.ts';
import type { Access, Resource } from './access.ts';
import { isAllowed, ScopeAccess, storeOf, visibleRows } from './access.ts';
import type { InterruptRecord, InterruptState, ThreadKey } from './records.ts';
import { fromDoc } from './thread-view.ts';

/** A filter for the interrupts of a scope. All given conditions must hold. */
export interface InterruptQuery {
  /** Default: any state. An interrupt whose time is over stays `pending` until a sweep. */
  readonly status?: readonly InterruptState[];
  readonly agent?: string;
  readonly reason?: string;
  readonly thread?: string;
  readonly tool?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  /** Text in title, message, tool, asker or a value of the answer, ignoring case; an amount is found with and without grouping. At most 200 characters. */
  readonly text?: string;
  /** Milliseconds since the epoch. */
  readonly raisedBefore?: number;
  /** Milliseconds since the epoch. */
  readonly expiringBefore?: number;
  /**
   * `oldest` interrupt first, `newest` first, the one that is `expiring` soonest and expired ones at the end, or the one that
   * was `answered` last, without the interrupts that have no answer. Default `oldest`; with `expiringBefore`, `expiring`.
   */
  readonly order?: InterruptOrder;
  /** The `next` of the previous page of the same query. */
  readonly cursor?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

export type InterruptOrder = 'oldest' | 'newest' | 'expiring' | 'answered';

const DEFAULT_LIMIT = 100;

const STORE_ORDERS = { oldest: 'created', newest: 'newest', expiring: 'due', answered: 'answered' } as const;

/** An interrupt with its thread. */
export interface ListedInterrupt extends InterruptRecord {
  readonly key: ThreadKey;
  /** The owner of the thread. */
  readonly owner?: string | undefined;
}

export interface InterruptPage {
  readonly interrupts: readonly ListedInterrupt[];
  /** The cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/**
 * A page of the interrupts of one thread, or of all threads that the principal may read, with the decided ones of deleted
 * threads. Throws `INPUT_INVALID` for an invalid cursor.
 */
export async function listInterrupts(
  access: Access<'read' | 'run' | 'answer'> | ScopeAccess<'read'>,
  query: InterruptQuery = {},
): Promise<InterruptPage> {
  const { expiringBefore, raisedBefore, order, ...rest } = query;
  const found: InterruptRows = {
    table: 'interrupts',
    ...rest,
    ...defined({ dueBefore: expiringBefore, createdBefore: raisedBefore }),
    order: STORE_ORDERS[order ?? (expiringBefore === undefined ? 'oldest' : 'expiring')],
  };
  const isOfScope = access instanceof ScopeAccess;
  const list = (one: InterruptRows) =>
    isOfScope ? listAllowed(access, one) : storeOf(access).list({ ...one, ...access.key });
  const { rows, next } = await (found.order === 'due' ? listExpiredLast(list, found) : list(found));
  const listed = rows.map(toListed);
  // Those of a deleted thread are not of the thread that has its id now.
  const interrupts = isOfScope ? listed : listed.filter(({ threadDeleted }) => threadDeleted === undefined);
  return next === undefined ? { interrupts } : { interrupts, next };
}

type InterruptRows = ListQuery & { readonly table: 'interrupts' };

/** The beginning of a cursor within the expired interrupts. A cursor of a store has no dot. */
const IN_EXPIRED = 'expired.';

/**
 * A page in which expired interrupts follow the others. Their times are over, so the store alone would list them first, and
 * many of them would hide the interrupts that can still be answered.
 */
async function listExpiredLast(
  list: (query: InterruptRows) => Promise<Page>,
  query: InterruptRows,
): Promise<Page> {
  const { status = [], cursor, limit = DEFAULT_LIMIT } = query;
  const others = status.filter((one) => one !== 'expired');
  if (others.length === status.length || others.length === 0) return list(query);
  const isInExpired = cursor?.startsWith(IN_EXPIRED) === true;
  const first: Page = isInExpired ? { rows: [] } : await list({ ...query, status: others });
  if (first.next !== undefined) return first;
  const begin = isInExpired ? cursor.slice(IN_EXPIRED.length) : '';
  const room = limit - first.rows.length;
  const { cursor: _cursor, ...rest } = query;
  const after = begin === '' ? {} : { cursor: begin };
  // A full page only looks whether an expired interrupt follows.
  const then = await list({ ...rest, ...after, status: ['expired'], limit: Math.max(1, room) });
  if (room <= 0) return then.rows.length === 0 ? first : { ...first, next: IN_EXPIRED };
  const next = then.next === undefined ? {} : { next: `${IN_EXPIRED}${then.next}` };
  return { rows: [...first.rows, ...then.rows], ...next };
}

/** An interrupt from its row. */
export function toListed(row: Row): ListedInterrupt {
  const { scope, thread } = row.key;
  return { ...fromDoc(row, 'interrupt'), key: { scope, thread }, ...defined({ owner: row.index.owner }) };
}

/** An interrupt in any state; undefined for an unknown id. */
export async function readInterrupt(
  access: Access<'read' | 'run' | 'answer'>,
  interruptId: string,
): Promise<InterruptRecord | undefined> {
  const [row] = await storeOf(access).get('interrupts', [{ ...access.key, id: interruptId }]);
  return row === undefined ? undefined : fromDoc(row, 'interrupt');
}

/** The maximum number of store pages for one page, if the rules hide many rows. */
const MOST_LOOKS = 50;

/**
 * A page of the threads or interrupts of a scope that the principal may read. Later rows replace hidden ones. If
 * readable rows are rare, a page may be short and still have a `next`.
 */
export async function listAllowed(
  access: ScopeAccess<'read'>,
  query: ListQuery & { readonly table: 'threads' | 'interrupts' },
): Promise<Page> {
  const grounds = ScopeAccess.grounds(access);
  const { store, rules, principal } = grounds;
  const own = { ...query, ...visibleRows(grounds), scope: principal.scope };
  if (rules.authorize === undefined && rules.onlyAgent === undefined) return store.list(own);
  const { limit = DEFAULT_LIMIT } = query;
  const rows: Row[] = [];
  let { cursor } = query;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    // Reads no more rows than fit, so that the cursor of the store is the end of the page.
    const page = await store.list({
      ...own,
      limit: limit - rows.length,
      ...defined({ cursor }),
    });
    const mayRead = await Promise.all(
      page.rows.map((row) => isAllowed(grounds, { action: 'read', ...resourceOf(row, query.table) })),
    );
    rows.push(...page.rows.filter((_row, index) => mayRead[index]));
    cursor = page.next;
    if (cursor === undefined || rows.length >= limit) break;
  }
  return { rows, ...defined({ next: cursor }) };
}

function resourceOf(
  row: Row,
  table: 'threads' | 'interrupts',
): Resource & { readonly owner: string | undefined } {
  const { thread } = row.key;
  const { owner } = row.index;
  if (table === 'threads') return { thread, agent: fromDoc(row, 'thread').agent, owner };
  const interrupt = fromDoc(row, 'interrupt');
  return { thread, agent: interrupt.agent, interrupt, owner };
}
