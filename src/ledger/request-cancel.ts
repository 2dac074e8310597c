import { HoldpointError } from '../core/index.ts';
import type { Store } from '../store/index.ts';
import type { ThreadKey } from './records.ts';
import { workOnThread } from './thread-work.ts';

/**
 * Leaves word that a run is to stop at its next call, for whichever process has it. Throws `THREAD_UNKNOWN`, or
 * `RUN_CONFLICT` when that run is not at work.
 */
export function requestCancel(
  store: Store,
  { key, runId, by }: { readonly key: ThreadKey; readonly runId: string; readonly by: string },
): Promise<void> {
  return workOnThread(store, { key, interruptIds: [] }, ({ thread }) => {
    if (thread === undefined) throw new HoldpointError('THREAD_UNKNOWN', `There is no thread ${key.thread}.`);
    const { active } = thread;
    if (active?.runId !== runId) {
      throw new HoldpointError('RUN_CONFLICT', `The run ${runId} is not at work.`, { details: { runId } });
    }
    if (active.cancelledBy !== undefined) return { result: undefined };
    return { change: { thread: { ...thread, active: { ...active, cancelledBy: by } } }, result: undefined };
  });
}
