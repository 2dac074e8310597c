import type { Store } from '../store/index.ts';
import type { ThreadChoice } from './every-thread.ts';
import { operatorAccess } from './access.ts';
import { everyThread } from './every-thread.ts';
import { verifyHistory } from './read-ledger.ts';
import type { ThreadKey } from './records.ts';

export interface VerifyAll extends ThreadChoice {
  /** Told after each thread. */
  readonly onProgress?: (progress: { readonly checked: number; readonly broken: number }) => void;
  readonly signal?: AbortSignal;
}

/** A history that is not as it was written. */
export interface BrokenHistory {
  readonly key: ThreadKey;
  /** The place of the first entry that was changed, moved or left out, counted from 0. */
  readonly index: number;
}

/** Looks through the histories of all threads, also while they grow, and gives those that are not as they were written. */
export async function* verifyAll(store: Store, options: VerifyAll = {}): AsyncGenerator<BrokenHistory> {
  const { onProgress, signal, ...choice } = options;
  let checked = 0;
  let broken = 0;
  for await (const key of everyThread(store, choice)) {
    signal?.throwIfAborted();
    const index = await verifyHistory(operatorAccess(store, key));
    checked += 1;
    if (index !== undefined) broken += 1;
    onProgress?.({ checked, broken });
    if (index !== undefined) yield { key, index };
  }
}
