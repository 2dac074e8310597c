import type { Bridge } from './bridge.ts';
import type { createTaskView } from './task-view.ts';

/** Cancels the task of a run when a person stops the run. */
export interface TaskStop {
  /** Whether the run is stopped and the agent has not answered yet. */
  readonly isUnderWay: boolean;
  /** Fires when the agent has answered the request to cancel; the task in view is then up to date. */
  readonly answered: AbortSignal;
  /** Called when the task in view may have become known. */
  check(): void;
  dispose(): void;
}

/** Sends `CancelTask` once, as soon as the run is stopped and its task is known. The run goes on and shows the rest of the task. */
export function createTaskStop(
  { context, connection, signal }: Pick<Bridge, 'context' | 'connection' | 'signal'>,
  view: ReturnType<typeof createTaskView>,
): TaskStop {
  const { stopSignal } = context;
  const answered = new AbortController();
  let isSent = false;
  const cancel = async () => {
    try {
      const request = { tenant: '', id: view.taskId, metadata: undefined };
      view.take({ $case: 'task', value: await connection.client.cancelTask(request, { signal }) });
    } catch (error) {
      // A task that is over cannot be cancelled; the next read shows its end.
      if (!signal.aborted) context.onWarning?.(`The A2A agent did not cancel the task: ${String(error)}`);
    }
    answered.abort();
  };
  const check = () => {
    if (stopSignal?.aborted !== true || isSent || view.taskId === '') return;
    isSent = true;
    void cancel();
  };
  stopSignal?.addEventListener('abort', check);
  check();
  return {
    get isUnderWay() {
      return stopSignal?.aborted === true && !answered.signal.aborted;
    },
    answered: answered.signal,
    check,
    dispose: () => stopSignal?.removeEventListener('abort', check),
  };
}
