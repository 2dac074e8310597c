import type { Batch, Change, RowKey } from './store.ts';

/** The threads that a batch changes, each once. */
export function changedThreads(batch: Batch): readonly Change[] {
  const changes: Change[] = [];
  const add = ({ scope, thread }: Pick<RowKey, 'scope' | 'thread'>) => {
    const last = changes.at(-1);
    // Most batches are of one thread.
    if (thread === '' || (last?.scope === scope && last.thread === thread)) return;
    changes.push({ scope, thread });
  };
  for (const { key } of batch.puts ?? []) add(key);
  for (const { key } of batch.deletes ?? []) add(key);
  for (const append of batch.appends ?? []) add(append);
  if (changes.length < 2) return changes;
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}
