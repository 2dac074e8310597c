import { HoldpointError } from '../../core/index.ts';
import type { Access } from '../../ledger/index.ts';
import { pruneThread, readThread, unknownThread } from '../../ledger/index.ts';
import type { ThreadFiles } from '../files/thread-files.ts';

/** Removes a session at somebody's wish, and its files; who decided what on it stays on record. Throws `THREAD_UNKNOWN` or `RUN_CONFLICT`. */
export async function removeThread(access: Access<'delete'>, files: ThreadFiles): Promise<void> {
  const { key } = access;
  const thread = await readThread(access);
  if (thread === undefined || thread.pruned === true) throw unknownThread(key.thread);
  const removed = await pruneThread(access, {
    mayGo: (_thread, isBusy) => !isBusy,
    alsoRemove: () => files.remove(access),
  });
  if (!removed) {
    throw new HoldpointError('RUN_CONFLICT', `A run is at work on the thread ${key.thread}: stop it first.`);
  }
}
