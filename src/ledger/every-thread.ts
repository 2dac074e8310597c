import type { Store } from '../store/index.ts';
import type { ThreadKey } from './records.ts';

/** Which threads: all, those of one scope, or one of them. */
export interface ThreadChoice {
  readonly scope?: string;
  readonly thread?: string;
}

/** The threads of a store in the order they were made, those that were pruned among them. */
export async function* everyThread(store: Store, { scope, thread }: ThreadChoice): AsyncGenerator<ThreadKey> {
  const choice = { ...(scope === undefined ? {} : { scope }), ...(thread === undefined ? {} : { thread }) };
  let cursor: string | undefined;
  do {
    const page = await store.list({
      table: 'threads',
      ...choice,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { key } of page.rows) yield { scope: key.scope, thread: key.thread };
    cursor = page.next;
  } while (cursor !== undefined);
}
