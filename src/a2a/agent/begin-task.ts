import { HoldpointError } from '../../core/index.ts';
import { isTaskGone } from './a2a-failure.ts';
import type { SentMessage } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask, changeThread } from './bridge.ts';
import { endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { isSamePause } from './same-pause.ts';
import { createTaskView } from './task-view.ts';

const MAX_SENT = 50;

/** Sends what the user said as something new, and follows what comes of it. */
export async function beginTask(bridge: Bridge): Promise<void> {
  const { fresh, newId } = bridge;
  const outbound = newId();
  const sources = fresh.map(({ id }) => id);
  // Put down first: a message that may have been sent is not sent again by itself.
  const { contextId } = await changeThread(bridge, (thread) => {
    if (thread.sent.some((sent) => sent.sources.some((id) => sources.includes(id)))) {
      throw new HoldpointError('RUN_CONFLICT', 'The message was sent by another run.');
    }
    return { ...thread, sent: [...thread.sent, { sources, outbound }].slice(-MAX_SENT) };
  });
  const view = createTaskView();
  const request = sendRequest({ messageId: outbound, contextId }, partsOfMessages(fresh));
  try {
    const arrived = await followTask(bridge, { view, request, outbound });
    if (arrived === 'reply') {
      await changeThread(bridge, (thread) => ({
        ...thread,
        contextId: view.contextId || (thread.contextId ?? ''),
        sent: thread.sent.map((sent) => (sent.outbound === outbound ? { ...sent, done: true } : sent)),
      }));
    }
    await endAsTask(bridge, view, arrived);
  } catch (error) {
    const inDoubt = HoldpointError.is(error, 'RUN_LOST') || bridge.signal.aborted;
    if (!inDoubt && view.taskId === '') {
      // The agent has nothing of it: it can be sent again.
      await changeThread(bridge, (thread) => ({
        ...thread,
        sent: thread.sent.filter((sent) => sent.outbound !== outbound),
      }));
    }
    throw error;
  }
}

/** Takes up what was sent last: a run that was lost, or a thread that is shown again. Nothing is sent. */
export async function takeUpTask(bridge: Bridge): Promise<void> {
  const last: SentMessage | undefined = bridge.thread.sent.at(-1);
  if (last === undefined || last.done === true) {
    bridge.emitter.finish();
    return;
  }
  if (last.taskId === undefined) {
    throw new HoldpointError(
      'RUN_LOST',
      'Nobody knows whether the A2A agent got the last message; it is not sent again. Say it once more if it should be.',
    );
  }
  await followKnown(bridge, last.taskId);
}

/**
 * Follows a task from wherever it is. Nothing is sent. Questions of it that the thread shows as open, and that it does not wait
 * for any more, are over. Throws `RUN_LOST` where the agent has lost the task.
 */
export async function followKnown(bridge: Bridge, taskId: string): Promise<void> {
  const { activities, emitter, context, state } = bridge;
  const known = await changeTask(bridge, taskId, () => undefined);
  // The run that is taken up has ended with it.
  if (context.recovers === true && known?.told === 'lost' && known.pause === undefined) {
    emitter.finish();
    return;
  }
  const view = createTaskView();
  view.take({
    $case: 'task',
    value: {
      id: taskId,
      contextId: '',
      status: undefined,
      artifacts: [],
      history: [],
      metadata: undefined,
    },
  });
  const onTaken = () => activities.past(taskId, 'working');
  try {
    const arrived = await followTask(bridge, { view, onTaken });
    const still = isSamePause(view, known?.pause) ? (known?.pause?.questions ?? []) : [];
    activities.past(
      taskId,
      'completed',
      still.map(({ id }) => id),
    );
    await endAsTask(bridge, view, arrived);
  } catch (error) {
    if (isTaskGone(error)) {
      const lost = await changeTask(bridge, taskId, (task) => {
        if (task === undefined) return undefined;
        const { pause: _nobodys, ...rest } = task;
        return { ...rest, status: 'unknown', told: 'lost' };
      });
      if (lost !== undefined) state.show(lost);
      activities.past(taskId, 'completed');
    }
    throw error;
  }
}
