import { isRecord } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { isTaskGone } from './a2a-failure.ts';
import type { BridgeSettings } from './bridge.ts';
import { taskIdOf } from './a2a-memory.ts';
import type { A2aCaller } from './connect.ts';
import { createTaskView, isSamePause } from './task-view.ts';

/** The state of an interrupt at the agent: open there, over there, or not known. */
export type Reconciled = 'waiting' | 'taken' | 'unknown';

/** The thread of an interrupt, and the principal of the request. */
export interface ReconcileThread extends A2aCaller {
  readonly key: ThreadKey;
}

/**
 * Reads the state of an interrupt from its agent.
 *
 * - `waiting`: the agent still asks, and no run has claimed the pause.
 * - `taken`: the agent has gone on or has lost the task. A new run follows the task and sends nothing.
 * - `unknown`: an answer may have been sent, and the agent does not show it; or the agent cannot be reached.
 */
export async function reconcile(
  settings: BridgeSettings,
  interrupt: Interrupt,
  asked: ReconcileThread,
): Promise<Reconciled> {
  const states = await Promise.all(idsOf(interrupt).map((id) => reconcileOne(settings, id, asked)));
  if (states.length === 0 || states.includes('unknown')) return 'unknown';
  return states.every((state) => state === 'waiting') ? 'waiting' : 'taken';
}

/** The ids to check: an `error_recovery` interrupt stands for the interrupts whose answers are in doubt. */
function idsOf({ id, reason, metadata }: Interrupt): readonly string[] {
  if (reason !== InterruptReason.ErrorRecovery) return [id];
  const ids: unknown = isRecord(metadata) ? metadata['interruptIds'] : undefined;
  return Array.isArray(ids) ? ids.filter((one) => typeof one === 'string') : [];
}

async function reconcileOne(
  settings: BridgeSettings,
  id: string,
  { key, principal }: ReconcileThread,
): Promise<Reconciled> {
  const taskId = taskIdOf(id);
  const task = taskId === undefined ? undefined : (await settings.memory.readTask(key, taskId))?.value;
  if (taskId === undefined || task === undefined) return 'unknown';
  const { pause } = task;
  // The task has a later pause, or none.
  if (pause?.interrupts.some((interrupt) => interrupt.id === id) !== true) return 'taken';
  const view = createTaskView();
  try {
    const { client } = await settings.connect(principal);
    const signal = AbortSignal.timeout(settings.timing.requestMs);
    view.take({ $case: 'task', value: await client.getTask({ tenant: '', id: taskId }, { signal }) });
  } catch (error) {
    if (pause.claim !== undefined) return 'unknown';
    // Without a claim no answer was sent.
    return isTaskGone(error) ? 'taken' : 'waiting';
  }
  // A task without a state does not show that the agent has gone on.
  if (view.state === 'unknown') return pause.claim === undefined ? 'waiting' : 'unknown';
  if (!isSamePause(view, pause)) return 'taken';
  if (pause.claim === undefined) return 'waiting';
  return view.heard.has(pause.claim.outbound) ? 'taken' : 'unknown';
}
