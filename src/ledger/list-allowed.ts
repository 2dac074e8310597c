import type { ListQuery, Page, Row } from '../store/index.ts';
import type { Resource } from './access.ts';
import { isAllowed, ScopeAccess } from './access.ts';
import { fromDoc } from './thread-view.ts';

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
      ...(cursor === undefined ? {} : { cursor }),
    });
    const mayRead = await Promise.all(
      page.rows.map((row) => isAllowed(grounds, { action: 'read', ...resourceOf(row, query.table) })),
    );
    rows.push(...page.rows.filter((_row, index) => mayRead[index]));
    cursor = page.next;
    if (cursor === undefined || rows.length >= limit) break;
  }
  return { rows, ...(cursor === undefined ? {} : { next: cursor }) };
}

function resourceOf(row: Row, table: 'threads' | 'interrupts'): Resource {
  const { thread } = row.key;
  if (table === 'threads') return { thread, agent: fromDoc(row, 'thread').agent };
  const interrupt = fromDoc(row, 'interrupt');
  return { thread, agent: interrupt.agent, interrupt };
}
