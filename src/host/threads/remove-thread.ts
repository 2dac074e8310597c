import { HoldpointError } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import { isAtWork, pruneThread, readThread } from '../../ledger/index.ts';
import type { Store } from '../../store/index.ts';
import type { FileStore } from '../files/file-options.ts';

/** Removes a session at somebody's wish, and its files; who decided what on it stays on record. Throws `THREAD_UNKNOWN` or `RUN_CONFLICT`. */
export async function removeThread(store: Store, key: ThreadKey, files: FileStore): Promise<void> {
  const thread = await readThread(store, key);
  if (thread === undefined || thread.pruned === true) {
    throw new HoldpointError('THREAD_UNKNOWN', `There is no thread ${key.thread}.`);
  }
  const removed = await pruneThread(store, key, {
    mayGo: (found, now) => !isAtWork(found, now, store),
    alsoRemove: async (thread) => files.remove?.(thread),
  });
  if (!removed) {
    throw new HoldpointError('RUN_CONFLICT', `A run is at work on the thread ${key.thread}: stop it first.`);
  }
}
