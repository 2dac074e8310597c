import type { Message } from '../../protocol/index.ts';
import { defined, HoldpointError } from '../../core/index.ts';
import { a2aFailure, inDoubt, isInDoubt, isTaskGone, mayPass } from './a2a-failure.ts';
import type { SentMessage } from './a2a-memory.ts';
import type { Bridge } from './bridge.ts';
import { changeTask, changeThread } from './bridge.ts';
import { isDecidedAbout } from './claim-pause.ts';
import { findTask } from './converse.ts';
import { closeTask, endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { createTaskView, isSamePause } from './task-view.ts';

const MAX_SENT = 50;

/** Sends the new messages of the user as the start of a task, and follows the task. */
export async function beginTask(bridge: Bridge): Promise<void> {
  const { fresh, newId, context, emitter } = bridge;
  const outbound = newId();
  const sources = fresh.map(({ id }) => id);
  const isStopped = context.stopSignal?.aborted === true;
  // Stored before it is sent, so that no later run sends it again.
  const { contextId } = await changeThread(bridge, (thread) => {
    if (thread.sent.some((sent) => sent.sources.some((id) => sources.includes(id)))) {
      throw new HoldpointError('RUN_CONFLICT', 'Another run has already sent this message.');
    }
    const sent: SentMessage = { sources, outbound, ...(isStopped ? { done: true } : {}) };
    return { ...thread, sent: [...thread.sent, sent].slice(-MAX_SENT) };
  });
  if (isStopped) emitter.cancel();
  else await sendFirst(bridge, { outbound, contextId, messages: fresh });
}

interface FirstMessage {
  readonly outbound: string;
  readonly contextId: string | undefined;
  readonly messages: readonly Message[];
}

async function sendFirst(bridge: Bridge, { outbound, contextId, messages }: FirstMessage): Promise<void> {
  const view = createTaskView();
  const request = sendRequest({ messageId: outbound, contextId }, partsOfMessages(messages));
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
    if (view.taskId !== '' || bridge.signal.aborted) throw error;
    if (isInDoubt(error)) {
      bridge.report({ status: 'unknown', isMessage: true });
      throw error;
    }
    // The agent did not accept the message: a later run may send it again.
    await changeThread(bridge, (thread) => ({
      ...thread,
      sent: thread.sent.filter((sent) => sent.outbound !== outbound),
    }));
    const failure = a2aFailure(bridge.agentId, error);
    bridge.report({ status: 'open', reason: failure.message, retry: mayPass(error) });
    throw failure;
  }
}

/** The last message of a thread, if its task is not known to be over. */
export async function unfinishedMessage(bridge: Bridge): Promise<SentMessage | undefined> {
  const last = bridge.thread.sent.at(-1);
  if (last === undefined || last.done === true) return undefined;
  const task = last.taskId === undefined ? undefined : await bridge.memory.readTask(bridge.key, last.taskId);
  return task?.value.told === undefined ? last : undefined;
}

/**
 * Takes up the task of the last message, after a lost run or for a run without new messages. Sends nothing, except a first message
 * that a person decides to send again. New messages of the user begin the next task when this one is over.
 */
export async function takeUpTask(bridge: Bridge, last: SentMessage): Promise<void> {
  if (last.taskId !== undefined) return followKnown(bridge, last.taskId);
  const { outbound, sources } = last;
  const { contextId } = bridge.thread;
  if (isDecidedAbout(bridge.context, [])) {
    const messages = bridge.input.messages.filter(({ id }) => sources.includes(id));
    // The same id, so that an agent that compares ids takes the message once.
    return sendFirst(bridge, { outbound, contextId, messages });
  }
  const { connection, signal, clock, timing } = bridge;
  const found = await findTask({ connection, signal, clock, timing }, { outbound, contextId });
  if (found === undefined) {
    bridge.report({ status: 'unknown', isMessage: true });
    throw inDoubt(
      'It is unknown whether the A2A agent got the last message, so it is not sent again. Repeat the message to send it.',
    );
  }
  await followKnown(bridge, found.id, outbound);
}

/** Shows the task of the last message again, for a run without new messages that continues no other. */
export async function continueTask(bridge: Bridge): Promise<void> {
  const last = bridge.thread.sent.at(-1);
  if (last === undefined || last.done === true) bridge.emitter.finish();
  else await takeUpTask(bridge, last);
}

/**
 * Follows a known task and sends nothing. Closes the activities of interrupts that the task no longer waits for. Throws `RUN_LOST` if
 * the agent has lost the task.
 */
export async function followKnown(bridge: Bridge, taskId: string, outbound?: string): Promise<void> {
  const { activities, emitter, context, state, fresh } = bridge;
  const known = await changeTask(bridge, taskId, () => undefined);
  // The lost run has already reported that the agent lost the task.
  if (context.recovers === true && known?.told === 'lost' && known.pause === undefined) {
    if (fresh.length > 0) await beginTask(bridge);
    else emitter.finish();
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
  let hasNext = false;
  try {
    const arrived = await followTask(bridge, {
      view,
      onTaken,
      ...defined({ outbound }),
    });
    const open = isSamePause(view, known?.pause) ? (known?.pause?.interrupts ?? []) : [];
    activities.advance(
      taskId,
      'completed',
      open.map(({ id }) => id),
    );
    hasNext = arrived === 'over' && fresh.length > 0 && context.stopSignal?.aborted !== true;
    if (hasNext) await closeTask(bridge, view);
    else await endAsTask(bridge, view, arrived);
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
  if (hasNext) await beginTask(bridge);
}
