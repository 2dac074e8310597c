import { defined } from './defined.ts';

/**
 * Reads every page of a list: calls `list` with the cursor of the page before, until a page has no `next`.
 * `for await (const page of everyPage((from) => inbox.list({ limit, ...from })))`
 */
export async function* everyPage<Page extends { readonly next?: string | undefined }>(
  list: (from: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await list(defined({ cursor }));
    yield page;
    cursor = page.next;
  } while (cursor !== undefined);
}
