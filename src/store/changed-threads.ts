import type { Batch, Change, RowKey } from './store.ts';

/** The threads that a batch changes, each once. */
export function changedThreads(batch: Batch): readonly Change[] {
  const keys: Pick<RowKey, 'scope' | 'thread'>[] = [
    ...(batch.puts ?? []).map(({ key }) => key),
    ...(batch.deletes ?? []).map(({ key }) => key),
    ...(batch.appends ?? []),
  ];
  const changes = keys.filter(({ thread }) => thread !== '').map(({ scope, thread }) => ({ scope, thread }));
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}
