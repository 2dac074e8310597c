import type { Store } from '../store/index.ts';
import { everyThread } from './read-ledger.ts';
import { markedThread } from './restored-thread.ts';
import type { ThreadView } from './thread-view.ts';
import { changeThread } from './thread-work.ts';

export interface MarkRestored {
  /** Called after each thread. */
  readonly onProgress?: (progress: { readonly looked: number }) => void;
}

/**
 * Marks what a database that was restored from a backup cannot know: whether calls ran after the backup was made. Open interrupts
 * are asked again, with a warning in their message and `metadata.mayHaveRun`; staged answers are dropped; runs that were at work are
 * lost, and their calls are in doubt. A thread that was marked, or changed, since the restore is left alone, where the store knows
 * which database it has open. Returns the number of threads that it changed.
 */
export async function markRestored(store: Store, options: MarkRestored = {}): Promise<number> {
  let looked = 0;
  let changed = 0;
  for await (const key of everyThread(store, {})) {
    const mark = (view: ThreadView) => {
      const change = markedThread(view, store.incarnation ?? {});
      return change === undefined ? { result: 0 } : { change, result: 1 };
    };
    const { result } = await changeThread(store, { key, interruptIds: [], marks: false }, mark);
    changed += result;
    looked += 1;
    options.onProgress?.({ looked });
  }
  return changed;
}
