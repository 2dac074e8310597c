import { HoldpointError } from '../core/index.ts';
import type { Access } from './access.ts';
import { unknownThread } from './access.ts';
import { workAs } from './thread-work.ts';

/**
 * Leaves word that a run is to stop at its next call, for whichever process has it. Throws `THREAD_UNKNOWN`, or
 * `RUN_CONFLICT` when that run is not at work.
 */
export function requestCancel(access: Access<'cancel'>, runId: string): Promise<void> {
  const by = access.principal.id;
  return workAs(access, [], ({ thread }) => {
    if (thread === undefined) throw unknownThread(access.key.thread);
    const { active } = thread;
    if (active?.runId !== runId) {
      throw new HoldpointError('RUN_CONFLICT', `The run ${runId} is not at work.`, { details: { runId } });
    }
    if (active.cancelledBy !== undefined) return { result: undefined };
    return { change: { thread: { ...thread, active: { ...active, cancelledBy: by } } }, result: undefined };
  });
}
