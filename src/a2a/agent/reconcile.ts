import { isRecord } from '../../core/index.ts';
import type { ThreadKey } from '../../ledger/index.ts';
import type { Interrupt } from '../../protocol/index.ts';
import { InterruptReason } from '../../protocol/index.ts';
import { isTaskGone } from './a2a-failure.ts';
import type { BridgeSettings } from './bridge.ts';
import { isSamePause } from './same-pause.ts';
import { taskOfQuestion } from './task-ids.ts';
import { createTaskView } from './task-view.ts';

/** What became of a question that is open, or whose answer may have been sent. */
export type Reconciled = 'waiting' | 'taken' | 'unknown';

/**
 * Asks the agent what became of a question. It waits only where the agent still asks it and nobody has taken it to answer;
 * where the agent has gone on, or has lost the task, it is taken: a run that is given the answer again, or nothing at all,
 * follows the task and sends nothing. An answer that may have been sent, and that the agent does not know of, is in doubt.
 */
export async function reconcile(
  settings: BridgeSettings,
  interrupt: Interrupt,
  key: ThreadKey,
): Promise<Reconciled> {
  const states = await Promise.all(idsOf(interrupt).map((id) => reconcileOne(settings, id, key)));
  if (states.length === 0 || states.includes('unknown')) return 'unknown';
  return states.every((state) => state === 'waiting') ? 'waiting' : 'taken';
}

/** A question about answers in doubt stands for the questions that they answer. */
function idsOf({ id, reason, metadata }: Interrupt): readonly string[] {
  if (reason !== InterruptReason.ErrorRecovery) return [id];
  const ids: unknown = isRecord(metadata) ? metadata['interruptIds'] : undefined;
  return Array.isArray(ids) ? ids.filter((one) => typeof one === 'string') : [];
}

async function reconcileOne(settings: BridgeSettings, id: string, key: ThreadKey): Promise<Reconciled> {
  const taskId = taskOfQuestion(id);
  const task = taskId === undefined ? undefined : (await settings.memory.readTask(key, taskId))?.value;
  if (taskId === undefined || task === undefined) return 'unknown';
  const { pause } = task;
  // Another question, or the end, came after it.
  if (pause?.questions.some((question) => question.id === id) !== true) return 'taken';
  const view = createTaskView();
  try {
    const { client } = await settings.connect();
    const signal = AbortSignal.timeout(settings.timing.requestMs);
    view.take({ $case: 'task', value: await client.getTask({ tenant: '', id: taskId }, { signal }) });
  } catch (error) {
    if (pause.claim !== undefined) return 'unknown';
    // Nobody has taken it to answer, so nothing was sent, whatever the agent would say.
    return isTaskGone(error) ? 'taken' : 'waiting';
  }
  // Nothing that tells of a task says that it has gone on.
  if (view.state === 'unknown') return pause.claim === undefined ? 'waiting' : 'unknown';
  if (!isSamePause(view, pause)) return 'taken';
  if (pause.claim === undefined) return 'waiting';
  return view.heard.has(pause.claim.outbound) ? 'taken' : 'unknown';
}
