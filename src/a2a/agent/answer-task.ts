import { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { dialectCalled } from '../dialects/index.ts';
import { isOver } from './task-state.ts';
import { a2aFailure, isTaskGone, refusalOf } from './a2a-failure.ts';
import type { PauseMemory } from './a2a-memory.ts';
import { answerTimeline } from './answer-timeline.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import { followKnown } from './begin-task.ts';
import { cancelTask } from './cancel-task.ts';
import type { Paused } from './claim-pause.ts';
import { claimPause, findPause, releasePause, taskPast } from './claim-pause.ts';
import { endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { isSamePause } from './same-pause.ts';
import { createTaskView } from './task-view.ts';

/**
 * Answers the pause of a task: checked, claimed for all bridges together, sent once. Throws before anything is sent where
 * the question is not the task's, where it is over, or where somebody else has answered. An answer that the agent has already,
 * from a run that was lost, is not sent again: the task is followed.
 */
export async function answerTask(bridge: Bridge, entries: readonly ResumeEntry[]): Promise<void> {
  const { newId } = bridge;
  const past = bridge.context.recovers === true ? await taskPast(bridge, entries) : undefined;
  if (past !== undefined) return followKnown(bridge, past);
  const known = await findPause(bridge, entries);
  const view = await lookAt(bridge, known.value);
  const { pause } = known.value;
  const isAnswered = () => isSamePause(view, pause);
  const isAuth = pause.state === 'auth-required';
  const outbound = newId();
  const isHeard = pause.claim !== undefined && view.heard.has(pause.claim.outbound);
  if (!isAnswered() || isHeard) {
    if (!isAuth && !isHeard) {
      bridge.context.onWarning?.(`The task ${view.taskId} has gone on without the answer; nothing was sent.`);
    }
    const arrived = await followTask(bridge, { view, isAnswered });
    // An authorization was given where it is given; nothing else that the agent has not heard was taken.
    answerTimeline(bridge, known.value, isAuth || isHeard ? entries : []).end(false);
    await endAsTask(bridge, view, arrived);
    return;
  }
  await claimPause(bridge, known, { outbound, entries });
  const task = await changeTask(bridge, view.taskId, () => undefined);
  if (task !== undefined) bridge.state.show(task);
  const isCancelled = entries.every(({ status }) => status === 'cancelled');
  if (isCancelled && bridge.onCancelled === 'cancel-task') return cancelTask(bridge, known.value, view);

  const settle = answerTimeline(bridge, known.value, entries);
  const request = sendRequest({ messageId: outbound, contextId: view.contextId, taskId: view.taskId }, [
    ...answerParts(bridge, pause, entries),
    ...partsOfMessages(bridge.fresh),
  ]);
  try {
    const onTaken = settle.taken;
    const following = { view, isAnswered, onTaken };
    const arrived = await followTask(bridge, isAuth ? following : { ...following, request });
    settle.end(arrived === 'paused');
    await endAsTask(bridge, view, arrived);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.definite !== true) throw error;
    await releasePause(bridge, known.value, outbound);
    throw isTaskGone(error) || refusal.reason === 'UNSUPPORTED_OPERATION'
      ? new HoldpointError('INTERRUPT_UNKNOWN', `The task ${view.taskId} takes no answer any more.`, {
          cause: error,
        })
      : a2aFailure(bridge.agentId, error);
  }
}

/** The task as the agent has it now. Closes the question where there is nobody left to answer to. */
async function lookAt(bridge: Bridge, { taskId, pause }: Paused) {
  const { connection, signal, timing, state } = bridge;
  const view = createTaskView();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timing.requestMs)]);
  try {
    view.take({
      $case: 'task',
      value: await connection.client.getTask({ tenant: '', id: taskId }, { signal: limit }),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!isTaskGone(error)) throw error;
  }
  // An authorization is given elsewhere, and an answer may have been given before: that the task went on is no surprise.
  const mayBeOver = pause.state === 'auth-required' || pause.claim !== undefined;
  if (view.taskId !== '' && (mayBeOver || !isOver(view.state))) return view;
  const closed = await changeTask(bridge, taskId, (task) => {
    if (task === undefined) return undefined;
    const { pause: _closed, ...rest } = task;
    return { ...rest, status: view.state, told: view.taskId === '' ? 'lost' : 'over' };
  });
  if (closed !== undefined) state.show(closed);
  bridge.display.show(view, true);
  const what = view.taskId === '' ? 'is not known to its agent any more' : `is ${view.state} already`;
  throw new HoldpointError('INTERRUPT_UNKNOWN', `The task ${taskId} ${what}; the answer was not sent.`);
}

function answerParts({ dialects }: Bridge, pause: PauseMemory, entries: readonly ResumeEntry[]) {
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  return dialectCalled(pause.dialect, dialects).write(
    pause.questions.map(({ id, text: _shown, ...asked }) => {
      const entry = given.get(id);
      return { asked, status: entry?.status ?? 'cancelled', payload: entry?.payload };
    }),
  );
}
