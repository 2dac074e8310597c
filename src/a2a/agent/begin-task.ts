import { HoldpointError } from '../../core/index.ts';
import { isTaskGone } from './a2a-failure.ts';
import type { SentMessage } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask, changeThread } from './bridge.ts';
import { endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { createTaskView, isSamePause } from './task-view.ts';

const MAX_SENT = 50;

/** Sends the new messages of the user as the start of a task, and follows the task. */
export async function beginTask(bridge: Bridge): Promise<void> {
  const { fresh, newId } = bridge;
  const outbound = newId();
  const sources = fresh.map(({ id }) => id);
  // Stored before it is sent, so that no later run sends it again.
  const { contextId } = await changeThread(bridge, (thread) => {
    if (thread.sent.some((sent) => sent.sources.some((id) => sources.includes(id)))) {
      throw new HoldpointError('RUN_CONFLICT', 'Another run has already sent this message.');
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
      // The agent did not accept the message: a later run may send it again.
      await changeThread(bridge, (thread) => ({
        ...thread,
        sent: thread.sent.filter((sent) => sent.outbound !== outbound),
      }));
    }
    throw error;
  }
}

/** Follows the task of the last message, after a lost run or for a run without new messages. Sends nothing. */
export async function continueTask(bridge: Bridge): Promise<void> {
  const last: SentMessage | undefined = bridge.thread.sent.at(-1);
  if (last === undefined || last.done === true) {
    bridge.emitter.finish();
    return;
  }
  if (last.taskId === undefined) {
    throw new HoldpointError(
      'RUN_LOST',
      'It is unknown whether the A2A agent got the last message, so it is not sent again. Repeat the message to send it.',
    );
  }
  await followKnown(bridge, last.taskId);
}

/**
 * Follows a known task and sends nothing. Closes the activities of interrupts that the task no longer waits for. Throws `RUN_LOST` if
 * the agent has lost the task.
 */
export async function followKnown(bridge: Bridge, taskId: string): Promise<void> {
  const { activities, emitter, context, state } = bridge;
  const known = await changeTask(bridge, taskId, () => undefined);
  // The lost run has already reported that the agent lost the task.
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
  const onTaken = () => activities.advance(taskId, 'working');
  try {
    const arrived = await followTask(bridge, { view, onTaken });
    const open = isSamePause(view, known?.pause) ? (known?.pause?.interrupts ?? []) : [];
    activities.advance(
      taskId,
      'completed',
      open.map(({ id }) => id),
    );
    await endAsTask(bridge, view, arrived);
  } catch (error) {
    if (isTaskGone(error)) {
      const lost = await changeTask(bridge, taskId, (task) => {
        if (task === undefined) return undefined;
        const { pause: _closed, ...rest } = task;
        return { ...rest, status: 'unknown', told: 'lost' };
      });
      if (lost !== undefined) state.show(lost);
      activities.advance(taskId, 'completed');
    }
    throw error;
  }
}
