import type { SendMessageRequest } from '@a2a-js/sdk';
import { HoldpointError } from '../../core/index.ts';
import type { TaskMemory } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask, changeThread } from './bridge.ts';
import type { Arrived } from './converse.ts';
import { converse } from './converse.ts';
import { raiseInterrupts, withSummary } from './raise-interrupts.ts';
import { createTaskStop } from './stop-task.ts';
import type { createTaskView, TaskView } from './task-view.ts';
import { isPaused } from './task-view.ts';

/** A task to follow until it pauses or ends. */
export interface Following {
  readonly view: ReturnType<typeof createTaskView>;
  /** Sent first, if given. */
  readonly request?: SendMessageRequest;
  /** The id of the message that starts a new task. */
  readonly outbound?: string;
  /** Whether the pause in view is the one that this run answers. */
  readonly isAnswered?: (view: TaskView) => boolean;
  /** Called once, when the task is seen outside a pause. */
  readonly onTaken?: (view: TaskView) => void;
}

/** Follows a task and shows its progress. Does not end the run. */
export async function followTask(bridge: Bridge, following: Following): Promise<Arrived> {
  const { view, isAnswered = () => false, request } = following;
  const { connection, signal, timing, display, state, clock } = bridge;
  let status = '';
  let isTaken = false;
  let shown: TaskMemory | undefined;
  const stop = createTaskStop(bridge, view);
  const onChange = async () => {
    stop.check();
    const isNews = view.taskId !== '' && view.state !== status;
    const waits = isPaused(view.state);
    if (!waits && view.state !== 'unknown' && view.taskId !== '' && !isTaken) {
      isTaken = true;
      following.onTaken?.(view);
    }
    if (isNews) {
      status = view.state;
      shown = await knownTask(bridge, following);
      // `raiseInterrupts` shows a pause: the agent's words come before the state.
      if (!waits) state.show(taskNow(bridge, shown, view));
    }
    display.show(view, false);
  };
  const onUnreachable = (error: unknown) => {
    bridge.context.onError?.(error);
    // The next change of the task shows its state again.
    status = 'unreachable';
    if (shown !== undefined) state.show({ ...shown, status });
  };
  const conversation = { connection, view, isAnswered, onChange, onUnreachable, stop, signal, clock, timing };
  try {
    return await converse(request === undefined ? conversation : { ...conversation, request });
  } finally {
    stop.dispose();
  }
}

/** The task without its pause. */
function taskNow({ input }: Bridge, task: TaskMemory, { state }: TaskView): TaskMemory {
  const { pause: _closed, ...rest } = task;
  return { ...rest, status: state, lastRunId: input.runId };
}

/** Tasks in the memory of a thread; the state of the thread has older ones. */
const MAX_TASKS = 50;

/** The memory of the task; a new task is stored, with its thread, before it is shown. */
async function knownTask(bridge: Bridge, { view, outbound }: Following): Promise<TaskMemory> {
  const { taskId, contextId } = view;
  const known = await changeTask(bridge, taskId, (task) =>
    task === undefined
      ? {
          taskId,
          contextId,
          protocolVersion: bridge.connection.protocolVersion,
          status: view.state,
          asked: 0,
          lastRunId: bridge.input.runId,
          summaries: [],
        }
      : undefined,
  );
  if (outbound !== undefined) {
    await changeThread(bridge, (thread) => ({
      ...thread,
      contextId: contextId || (thread.contextId ?? ''),
      tasks: [...thread.tasks.filter((id) => id !== taskId), taskId].slice(-MAX_TASKS),
      sent: thread.sent.map((sent) => (sent.outbound === outbound ? { ...sent, taskId } : sent)),
    }));
  }
  if (known === undefined) throw new HoldpointError('INTERNAL', `The task ${taskId} is not in the memory.`);
  return known;
}

/** Ends the run according to the state of the task. */
export async function endAsTask(bridge: Bridge, view: TaskView, arrived: Arrived): Promise<void> {
  const { display, emitter, agentId, context } = bridge;
  if (arrived === 'paused') return raiseInterrupts(bridge, view);
  if (arrived === 'reply') {
    display.show(view, true);
    emitter.finish();
    return;
  }
  const wasTold = await closeTask(bridge, view);
  // The lost run has already shown the end of the task.
  const isTold = context.recovers === true && wasTold && display.said.length === 0;
  if (view.state === 'completed' || isTold) {
    emitter.finish();
    return;
  }
  if (view.state === 'canceled') {
    emitter.cancel();
    return;
  }
  context.onDelivery?.({ status: 'taken' });
  const end = view.state === 'rejected' ? 'was rejected' : 'failed';
  emitter.fail(`The task of the A2A agent ${agentId} ${end}.`, { code: 'TOOL_FAILED' });
}

/** Shows the rest of a task that is over, and stores its end. Returns whether an earlier run has shown the end. */
export async function closeTask(bridge: Bridge, view: TaskView): Promise<boolean> {
  const { display, state } = bridge;
  display.show(view, true);
  let wasTold = false;
  const task = await changeTask(bridge, view.taskId, (known) => {
    if (known === undefined) return undefined;
    wasTold = known.told === 'over';
    const { pause: _closed, ...rest } = known;
    const summaries = withSummary(known.summaries, display.said.at(-1) ?? '');
    return { ...rest, status: view.state, lastRunId: bridge.input.runId, summaries, told: 'over' };
  });
  if (task !== undefined) state.show(task);
  return wasTold;
}
