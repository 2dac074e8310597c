import { defined } from '../core/index.ts';
import type { ListQuery, Page, Row } from '../store/index.ts';
import type { Access, Resource } from './access.ts';
import { isAllowed, ScopeAccess, storeOf } from './access.ts';
import type { InterruptRecord, InterruptState, ThreadKey } from './records.ts';
import { fromDoc } from './thread-view.ts';

/** Which questions of a scope. Everything that is given must hold. */
export interface QuestionQuery {
  /** Any when absent. A question whose time is over is `pending` until a sweep has seen it. */
  readonly status?: readonly InterruptState[];
  readonly agent?: string;
  readonly reason?: string;
  readonly thread?: string;
  readonly tool?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  /** Contained in title, message or tool, in upper or lower case; at most 200 characters. */
  readonly text?: string;
  /** Milliseconds since the epoch. */
  readonly raisedBefore?: number;
  /** Milliseconds since the epoch. */
  readonly expiringBefore?: number;
  /**
   * `oldest` interrupt first, `newest` first, the one that is `expiring` soonest, or the one that was `answered` last, without
   * the interrupts that have no answer. Default `oldest`; with `expiringBefore`, `expiring`.
   */
  readonly order?: QuestionOrder;
  /** Where the page before ended, of the same query. */
  readonly cursor?: string;
  /** Default 100, at most 1,000. */
  readonly limit?: number;
}

export type QuestionOrder = 'oldest' | 'newest' | 'expiring' | 'answered';

const STORE_ORDERS = { oldest: 'created', newest: 'newest', expiring: 'due', answered: 'answered' } as const;

/** A question, and where it lives. */
export interface ListedQuestion extends InterruptRecord {
  readonly key: ThreadKey;
}

export interface QuestionPage {
  readonly questions: readonly ListedQuestion[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: string;
}

/** A page of the questions of one thread, or of those across threads that may be read. Throws `INPUT_INVALID` for a cursor that no page gave. */
export async function listQuestions(
  access: Access<'read' | 'run' | 'answer'> | ScopeAccess<'read'>,
  query: QuestionQuery = {},
): Promise<QuestionPage> {
  const { expiringBefore, raisedBefore, order, ...rest } = query;
  const found = {
    table: 'interrupts' as const,
    ...rest,
    ...defined({ dueBefore: expiringBefore, createdBefore: raisedBefore }),
    order: STORE_ORDERS[order ?? (expiringBefore === undefined ? 'oldest' : 'expiring')],
  };
  const { rows, next } = await (access instanceof ScopeAccess
    ? listAllowed(access, found)
    : storeOf(access).list({ ...found, ...access.key }));
  const questions = rows.map((row): ListedQuestion => {
    const { scope, thread } = row.key;
    return { ...fromDoc(row, 'interrupt'), key: { scope, thread } };
  });
  return next === undefined ? { questions } : { questions, next };
}

/** One question as it is, open or over; undefined when its thread has none of this id. */
export async function readQuestion(
  access: Access<'read' | 'run' | 'answer'>,
  interruptId: string,
): Promise<InterruptRecord | undefined> {
  const [row] = await storeOf(access).get('interrupts', [{ ...access.key, id: interruptId }]);
  return row === undefined ? undefined : fromDoc(row, 'interrupt');
}

/** How often the store is asked for one page, where the rules leave much of it out. */
const MOST_LOOKS = 50;

/**
 * A page of the threads or interrupts of a scope that the principal may read. Rows that may not be read are left out and made
 * up for by what follows; where readable rows are rare, a page may hold less than was asked for, and still say where the next
 * begins.
 */
export async function listAllowed(
  access: ScopeAccess<'read'>,
  query: ListQuery & { readonly table: 'threads' | 'interrupts' },
): Promise<Page> {
  const grounds = ScopeAccess.grounds(access);
  const { store, rules, principal } = grounds;
  const own = { ...query, scope: principal.scope };
  if (rules.authorize === undefined && rules.onlyAgent === undefined) return store.list(own);
  const { limit = 100 } = query;
  const rows: Row[] = [];
  let { cursor } = query;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    // No more than fits: where a page ends, the next begins.
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

function resourceOf(row: Row, table: 'threads' | 'interrupts'): Resource {
  const { thread } = row.key;
  if (table === 'threads') return { thread, agent: fromDoc(row, 'thread').agent };
  const interrupt = fromDoc(row, 'interrupt');
  return { thread, agent: interrupt.agent, interrupt };
}
