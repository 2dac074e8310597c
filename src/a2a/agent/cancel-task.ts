import type { PauseMemory, TaskMemory } from './a2a-memory.ts';
import { beginTask } from './begin-task.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import type { createTaskView } from './task-view.ts';
import { TOO_LATE, within } from './timing.ts';

/** Nobody will answer: the task is cancelled, for as long as its agent may take, and what the user says next is new. */
export async function cancelTask(
  bridge: Bridge,
  { taskId, pause }: TaskMemory & { readonly pause: PauseMemory },
  view: ReturnType<typeof createTaskView>,
): Promise<void> {
  const { connection, signal, timing, activities, state, emitter, fresh } = bridge;
  const stop = new AbortController();
  const options = { signal: AbortSignal.any([signal, stop.signal]) };
  const cancelled = connection.client
    .cancelTask({ tenant: '', id: taskId, metadata: undefined }, options)
    .then(
      (task) => view.take({ $case: 'task', value: task }),
      (error: unknown) => bridge.context.onError?.(error),
    );
  if ((await within(cancelled, timing.cancelMs, signal)) === TOO_LATE) {
    bridge.context.onWarning?.(
      `The A2A agent ${bridge.agentId} did not answer the cancellation of ${taskId}.`,
    );
  }
  stop.abort();
  const task = await changeTask(bridge, taskId, (known) => {
    if (known === undefined) return undefined;
    const { pause: _closed, ...rest } = known;
    return { ...rest, status: view.state, lastRunId: bridge.input.runId };
  });
  for (const question of pause.questions) {
    const entry = { interruptId: question.id, status: 'cancelled' as const };
    activities.answered(taskId, question, { stage: 'completed', entry });
  }
  if (task !== undefined) state.show(task);
  if (fresh.length > 0) await beginTask(bridge);
  else emitter.cancel();
}
