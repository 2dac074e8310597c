import type { Principal } from '../../ledger/index.ts';
import type { ListQuery, Page, Row } from '../../store/index.ts';
import type { Resource } from '../host-options.ts';
import type { HostParts } from '../host-parts.ts';
import { isAllowed } from '../host-parts.ts';

/** How often the store is asked for one page, where the application leaves much of it out. */
const MOST_LOOKS = 50;

/**
 * A page of what somebody may read. What they may not is left out and made up for by what follows; where that is rare, a page
 * may hold less than was asked for, and say where the next begins all the same.
 */
export async function listAllowed(
  parts: HostParts,
  principal: Principal,
  { query, resourceOf }: { readonly query: ListQuery; readonly resourceOf: (row: Row) => Resource },
): Promise<Page> {
  const { store, options } = parts;
  if (options.authorize === undefined) return store.list(query);
  const { limit = 100 } = query;
  const rows: Row[] = [];
  let { cursor } = query;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    // No more than fits: where a page ends, the next begins.
    const page = await store.list({
      ...query,
      limit: limit - rows.length,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const mayRead = await Promise.all(
      page.rows.map((row) => isAllowed(parts, principal, { action: 'read', ...resourceOf(row) })),
    );
    rows.push(...page.rows.filter((_row, index) => mayRead[index]));
    cursor = page.next;
    if (cursor === undefined || rows.length >= limit) break;
  }
  return { rows, ...(cursor === undefined ? {} : { next: cursor }) };
}
