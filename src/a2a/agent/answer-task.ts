import { HoldpointError } from '../../core/index.ts';
import { replaceSecrets } from '../../core/schema/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { dialectCalled } from '../dialects/read-requests.ts';
import { a2aFailure, isTaskGone, refusalOf } from './a2a-failure.ts';
import type { PauseMemory } from './a2a-memory.ts';
import { beginTask, followKnown } from './begin-task.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import type { PausedTask } from './claim-pause.ts';
import { claimPause, findPause, releasePause, taskPast } from './claim-pause.ts';
import { endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { createTaskView, isOver, isSamePause } from './task-view.ts';
import { TOO_LATE, within } from './timing.ts';

/**
 * Checks the answers to a pause, claims the pause and sends the answers once. Sends nothing and throws if the interrupts do not
 * belong to the task, the task is over, or another run has answered. If the agent already has the answers of a lost run, it
 * follows the task and sends nothing.
 */
export async function answerTask(bridge: Bridge, entries: readonly ResumeEntry[]): Promise<void> {
  const { newId } = bridge;
  const past = bridge.context.recovers === true ? await taskPast(bridge, entries) : undefined;
  if (past !== undefined) return followKnown(bridge, past);
  const known = await findPause(bridge, entries);
  const view = await readTask(bridge, known.value);
  const { pause } = known.value;
  const isAnswered = () => isSamePause(view, pause);
  const isAuth = pause.state === 'auth-required';
  const outbound = newId();
  const isHeard = pause.claim !== undefined && view.heard.has(pause.claim.outbound);
  if (!isAnswered() || isHeard) {
    if (!isAuth && !isHeard) {
      bridge.context.onWarning?.(`The task ${view.taskId} went on without the answer; nothing was sent.`);
    }
    const arrived = await followTask(bridge, { view, isAnswered });
    // The person gave an authorization at its own place. Any other answer that the agent has not heard was not taken.
    const timeline = await answerTimeline(bridge, known.value, isAuth || isHeard ? entries : []);
    timeline.end(false);
    await endAsTask(bridge, view, arrived);
    return;
  }
  await claimPause(bridge, known, { outbound, entries });
  const task = await changeTask(bridge, view.taskId, () => undefined);
  if (task !== undefined) bridge.state.show(task);
  const isCancelled = entries.every(({ status }) => status === 'cancelled');
  if (isCancelled && bridge.onCancelled === 'cancel-task') return cancelTask(bridge, known.value, view);

  const timeline = await answerTimeline(bridge, known.value, entries);
  const request = sendRequest({ messageId: outbound, contextId: view.contextId, taskId: view.taskId }, [
    ...answerParts(bridge, pause, entries),
    ...partsOfMessages(bridge.fresh),
  ]);
  try {
    const following = { view, isAnswered, onTaken: timeline.taken };
    const arrived = await followTask(bridge, isAuth ? following : { ...following, request });
    timeline.end(arrived === 'paused');
    await endAsTask(bridge, view, arrived);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.definite !== true) throw error;
    await releasePause(bridge, known.value, outbound);
    throw isTaskGone(error) || refusal.reason === 'UNSUPPORTED_OPERATION'
      ? new HoldpointError('INTERRUPT_UNKNOWN', `The task ${view.taskId} no longer accepts an answer.`, {
          cause: error,
        })
      : a2aFailure(bridge.agentId, error);
  }
}

/** Reads the task from the agent. If the task is over or gone, closes its pause and throws `INTERRUPT_UNKNOWN`. */
async function readTask(bridge: Bridge, { taskId, pause }: PausedTask) {
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
  // After an authorization, or an answer of an earlier run, the task may have ended.
  const mayBeOver = pause.state === 'auth-required' || pause.claim !== undefined;
  if (view.taskId !== '' && (mayBeOver || !isOver(view.state))) return view;
  const closed = await changeTask(bridge, taskId, (task) => {
    if (task === undefined) return undefined;
    const { pause: _closed, ...rest } = task;
    return { ...rest, status: view.state, told: view.taskId === '' ? 'lost' : 'over' };
  });
  if (closed !== undefined) state.show(closed);
  bridge.display.show(view, true);
  const cause = view.taskId === '' ? 'is no longer known to its agent' : `is already ${view.state}`;
  throw new HoldpointError('INTERRUPT_UNKNOWN', `The task ${taskId} ${cause}; the answer was not sent.`);
}

function answerParts({ dialects }: Bridge, pause: PauseMemory, entries: readonly ResumeEntry[]) {
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  return dialectCalled(pause.dialect, dialects).write(
    pause.interrupts.map(({ id, text: _shown, ...asked }) => {
      const entry = given.get(id);
      return { asked, status: entry?.status ?? 'cancelled', payload: entry?.payload };
    }),
  );
}

const MASK = '••••••';

/** Shows the answers in the timeline, with their secrets masked. An approval shows only after the agent has gone on. */
async function answerTimeline(
  { activities }: Bridge,
  { taskId, pause }: PausedTask,
  entries: readonly ResumeEntry[],
): Promise<{ taken(this: void): void; end(asksAgain: boolean): void }> {
  const schemas = new Map(pause.interrupts.map(({ id, responseSchema }) => [id, responseSchema]));
  const masked = entries.map(async (entry): Promise<ResumeEntry> => {
    if (entry.payload === undefined) return entry;
    const schema = schemas.get(entry.interruptId);
    return { ...entry, payload: await replaceSecrets(schema, entry.payload, () => MASK) };
  });
  const given = new Map((await Promise.all(masked)).map((entry) => [entry.interruptId, entry]));
  let isTaken = false;
  return {
    taken() {
      isTaken = true;
      for (const interrupt of pause.interrupts) {
        activities.answer(taskId, interrupt, { stage: 'working', entry: given.get(interrupt.id) });
      }
    },
    end(asksAgain) {
      for (const interrupt of pause.interrupts) {
        const entry = isTaken || asksAgain ? undefined : given.get(interrupt.id);
        activities.answer(taskId, interrupt, { stage: 'completed', entry, refused: asksAgain && !isTaken });
      }
    },
  };
}

/** Cancels the task at the agent, within `cancelMs`. New messages of the user then start a new task. */
async function cancelTask(
  bridge: Bridge,
  { taskId, pause }: PausedTask,
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
      `The A2A agent ${bridge.agentId} did not confirm within ${timing.cancelMs} ms that it cancelled the task ${taskId}.`,
    );
  }
  stop.abort();
  const task = await changeTask(bridge, taskId, (known) => {
    if (known === undefined) return undefined;
    const { pause: _closed, ...rest } = known;
    return { ...rest, status: view.state, lastRunId: bridge.input.runId };
  });
  for (const interrupt of pause.interrupts) {
    const entry = { interruptId: interrupt.id, status: 'cancelled' as const };
    activities.answer(taskId, interrupt, { stage: 'completed', entry });
  }
  if (task !== undefined) state.show(task);
  if (fresh.length > 0) await beginTask(bridge);
  else emitter.cancel();
}
