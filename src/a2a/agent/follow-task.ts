import type { SendMessageRequest } from '@a2a-js/sdk';
import { HoldpointError } from '../../core/index.ts';
import { isPaused } from './task-state.ts';
import type { TaskMemory } from './a2a-memory.ts';
import { askQuestions, withSummary } from './raise-interrupts.ts';
import type { Bridge } from './bridge.ts';
import { changeTask, changeThread } from './bridge.ts';
import type { Arrived } from './converse.ts';
import { converse } from './converse.ts';
import type { createTaskView, TaskView } from './task-view.ts';

/** One way from a message, or from where a task is, to where it waits or ends. */
export interface Following {
  readonly view: ReturnType<typeof createTaskView>;
  readonly request?: SendMessageRequest;
  /** The message that began the task, where it is new. */
  readonly outbound?: string;
  readonly isAnswered?: (view: TaskView) => boolean;
  /** Told when the agent has visibly gone on. */
  readonly onTaken?: (view: TaskView) => void;
}

/** Follows a task and shows it as it goes. The run has not ended when this resolves. */
export async function followTask(bridge: Bridge, following: Following): Promise<Arrived> {
  const { view, isAnswered = () => false, request } = following;
  const { connection, signal, timing, display, state, clock } = bridge;
  let status = '';
  let isTaken = false;
  const onChange = async () => {
    const isNews = view.taskId !== '' && view.state !== status;
    const waits = isPaused(view.state);
    if (!waits && view.state !== 'unknown' && view.taskId !== '' && !isTaken) {
      isTaken = true;
      following.onTaken?.(view);
    }
    if (isNews) {
      const isFirst = status === '';
      status = view.state;
      const task = isFirst ? await knownTask(bridge, following) : undefined;
      // How a pause is shown is for the question to say: its words come before its state.
      if (!waits) state.show(taskNow(bridge, task ?? (await knownTask(bridge, following)), view));
    }
    display.show(view, false);
  };
  const conversation = { connection, view, isAnswered, onChange, signal, clock, timing };
  return converse(request === undefined ? conversation : { ...conversation, request });
}

/** A task that does not wait has no question open, whoever it was that answered. */
function taskNow({ input }: Bridge, task: TaskMemory, { state }: TaskView): TaskMemory {
  const { pause: _past, ...rest } = task;
  return { ...rest, status: state, lastRunId: input.runId };
}

/** Tasks of a thread that a run shows again by itself; older ones are in its state already. */
const MAX_TASKS = 50;

/** What is known of the task; a new one is put down with its thread before anything of it is shown. */
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
  if (known === undefined) throw new HoldpointError('INTERNAL', `Nothing is known of the task ${taskId}.`);
  return known;
}

/** Ends the run as the task stands. */
export async function endAsTask(bridge: Bridge, view: TaskView, arrived: Arrived): Promise<void> {
  const { display, emitter, state, agentId, context } = bridge;
  if (arrived === 'paused') return askQuestions(bridge, view);
  display.show(view, true);
  if (arrived === 'reply') {
    emitter.finish();
    return;
  }
  let wasTold = false;
  const task = await changeTask(bridge, view.taskId, (known) => {
    if (known === undefined) return undefined;
    wasTold = known.told === 'over';
    const { pause: _over, ...rest } = known;
    const summaries = withSummary(known.summaries, display.said.at(-1) ?? '');
    return { ...rest, status: view.state, lastRunId: bridge.input.runId, summaries, told: 'over' };
  });
  if (task !== undefined) state.show(task);
  // The run that is taken up has ended with it, and there is nothing to add.
  const isTold = context.recovers === true && wasTold && display.said.length === 0;
  if (view.state === 'completed' || isTold) emitter.finish();
  else if (view.state === 'canceled') emitter.cancel();
  else
    emitter.fail(
      `The task of the A2A agent ${agentId} ${view.state === 'rejected' ? 'was rejected' : 'failed'}.`,
      { code: 'TOOL_FAILED' },
    );
}
