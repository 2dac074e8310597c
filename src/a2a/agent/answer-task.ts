import { cancelledText } from '../../content/interrupts/index.ts';
import { HoldpointError, TOO_LATE, within } from '../../core/index.ts';
import { replaceSecrets } from '../../core/schema/index.ts';
import { cancellationOf } from '../../engine/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import { dialectCalled } from '../dialects/read-requests.ts';
import {
  a2aFailure,
  inDoubt,
  isInDoubt,
  isTaskGone,
  mayPass,
  refusalOf,
  wasNeverSent,
} from './a2a-failure.ts';
import type { PauseMemory } from './a2a-memory.ts';
import { beginTask, followKnown } from './begin-task.ts';
import type { Bridge } from './bridge.ts';
import { changeTask } from './bridge.ts';
import type { PausedTask } from './claim-pause.ts';
import { claimPause, findPause, releasePause, taskPast } from './claim-pause.ts';
import type { Arrived } from './converse.ts';
import { getTask, patiently } from './converse.ts';
import { endAsTask, followTask } from './follow-task.ts';
import { partsOfMessages, sendRequest } from './outbound.ts';
import { createTaskView, isOver, isSamePause } from './task-view.ts';

/**
 * Checks the answers to a pause, claims the pause and sends the answers once. Sends nothing and throws if the interrupts do not
 * belong to the task, the task is over, or another run has answered. If the agent already has the answers of a lost run, it
 * follows the task and sends nothing. Reports whether the answers were delivered.
 */
export async function answerTask(bridge: Bridge, entries: readonly ResumeEntry[]): Promise<void> {
  const { newId, context } = bridge;
  const past = context.recovers === true ? await taskPast(bridge, entries) : undefined;
  if (past !== undefined) return followKnown(bridge, past);
  const known = await findPause(bridge, entries).catch((error: unknown) => {
    if (HoldpointError.is(error, 'INTERRUPT_UNKNOWN'))
      bridge.report({ status: 'closed', reason: error.message });
    throw error;
  });
  const view = await readTask(bridge, known.value);
  const { pause } = known.value;
  const isAnswered = () => isSamePause(view, pause);
  const isAuth = pause.state === 'auth-required';
  const outbound = newId();
  const isHeard = pause.claim !== undefined && view.heard.has(pause.claim.outbound);
  if (!isAnswered() || isHeard) {
    if (!isAuth && !isHeard) {
      context.onWarning?.(`The task ${view.taskId} went on without the answer; nothing was sent.`);
    }
    const arrived = await followTask(bridge, { view, isAnswered });
    // The person gave an authorization at its own place. Any other answer that the agent has not heard was not taken.
    const timeline = await answerTimeline(bridge, known.value, isAuth || isHeard ? entries : []);
    timeline.end(false);
    await endAsTask(bridge, view, arrived);
    return;
  }
  if (context.recovers === true && pause.claim !== undefined) {
    bridge.report({ status: 'unknown' });
    throw inDoubt(`It is unknown whether the A2A agent ${bridge.agentId} got the answer of the lost run.`);
  }
  if (context.holdAnswers === true) {
    const failure = new HoldpointError(
      'INTERRUPTS_PENDING',
      'The answer was not delivered before the new message came. The message follows the next answer.',
    );
    bridge.report({ status: 'open', reason: failure.message });
    throw failure;
  }
  await claimPause(bridge, known, { outbound, entries });
  const task = await changeTask(bridge, view.taskId, () => undefined);
  if (task !== undefined) bridge.state.show(task);
  const isStopped = context.stopSignal?.aborted === true;
  const isCancelled = entries.every(({ status }) => status === 'cancelled');
  if (isStopped || (isCancelled && bridge.onCancelled === 'cancel-task')) {
    const reason = isCancelled ? whyCancelled(bridge, entries.at(-1)) : 'The run was stopped.';
    return cancelTask(bridge, { task: known.value, view, outbound, reason });
  }
  const timeline = await answerTimeline(bridge, known.value, entries);
  const parts = [...answerParts(bridge, pause, entries), ...partsOfMessages(bridge.fresh)];
  const ids = { messageId: outbound, contextId: view.contextId, taskId: view.taskId };
  // Without a message, the person gives the authorization outside Holdpoint.
  const request = parts.length === 0 ? {} : { request: sendRequest(ids, parts) };
  let arrived: Arrived;
  try {
    arrived = await followTask(bridge, { view, isAnswered, onTaken: timeline.taken, ...request });
  } catch (error) {
    if (isInDoubt(error)) bridge.report({ status: 'unknown' });
    if (refusalOf(error)?.definite !== true && !wasNeverSent(error)) throw error;
    arrived = await afterRefusal(bridge, { task: known.value, view, outbound }, error);
  }
  timeline.end(arrived === 'paused');
  await endAsTask(bridge, view, arrived);
}

/** A paused task that a run answers. */
interface Answering {
  readonly task: PausedTask;
  readonly view: ReturnType<typeof createTaskView>;
  readonly outbound: string;
}

/**
 * Reads the task after an answer that the agent did not take. If the task still waits, opens the pause again and throws the failure;
 * if it is over or gone, closes the pause and throws `INTERRUPT_UNKNOWN`; if it went on, follows it.
 */
async function afterRefusal(
  bridge: Bridge,
  { task, view, outbound }: Answering,
  error: unknown,
): Promise<Arrived> {
  const { taskId, pause } = task;
  const isGone = await getTask(bridge, taskId).then(
    (value) => {
      view.take({ $case: 'task', value });
      return false;
    },
    (failure: unknown) => {
      bridge.signal.throwIfAborted();
      return isTaskGone(failure);
    },
  );
  if (isGone || isOver(view.state)) return closePause(bridge, { taskId, view, isGone });
  if (!isSamePause(view, pause))
    return followTask(bridge, { view, isAnswered: () => isSamePause(view, pause) });
  await releasePause(bridge, task, outbound);
  throw undelivered(bridge, error);
}

/** The failure of an answer that was certainly not delivered; the interrupt is open again. */
function undelivered(bridge: Bridge, error: unknown): HoldpointError {
  const { code, message } = a2aFailure(bridge.agentId, error);
  const sentence = `${message} The answer was not delivered.`;
  bridge.report({ status: 'open', reason: sentence, retry: mayPass(error) });
  return new HoldpointError(code, sentence, { cause: error });
}

/** Closes the pause of a task that is over or gone, shows the rest of the task and throws `INTERRUPT_UNKNOWN`. */
async function closePause(
  bridge: Bridge,
  closing: {
    readonly taskId: string;
    readonly view: ReturnType<typeof createTaskView>;
    readonly isGone: boolean;
  },
): Promise<never> {
  const { taskId, view, isGone } = closing;
  const status = isGone ? 'unknown' : view.state;
  const closed = await changeTask(bridge, taskId, (task) => {
    if (task === undefined) return undefined;
    const { pause: _closed, ...rest } = task;
    return { ...rest, status, told: isGone ? 'lost' : 'over' };
  });
  bridge.display.show(view, true);
  if (closed !== undefined) bridge.state.show(closed);
  bridge.activities.advance(taskId, 'completed');
  const cause = isGone ? 'is no longer known to its agent' : `is already ${status}`;
  const reason = `The task ${taskId} ${cause}; the answer was not delivered.`;
  bridge.report({ status: 'closed', reason });
  throw new HoldpointError('INTERRUPT_UNKNOWN', reason);
}

/** Reads the task from the agent. If the task is over or gone, closes its pause and throws `INTERRUPT_UNKNOWN`. */
async function readTask(bridge: Bridge, { taskId, pause }: PausedTask) {
  const view = createTaskView();
  const read = () => getTask(bridge, taskId);
  let isGone = false;
  try {
    // If an answer may have been sent, only the agent knows. Otherwise a person may answer again.
    view.take({
      $case: 'task',
      value: await (pause.claim === undefined ? read() : patiently(bridge, read)),
    });
  } catch (error) {
    bridge.signal.throwIfAborted();
    isGone = isTaskGone(error);
    if (!isGone && pause.claim === undefined) throw undelivered(bridge, error);
    if (!isGone) {
      bridge.report({ status: 'unknown' });
      throw error;
    }
  }
  // After an authorization, or an answer of an earlier run, the task may have ended.
  const mayBeOver = pause.state === 'auth-required' || pause.claim !== undefined;
  if (!isGone && (mayBeOver || !isOver(view.state))) return view;
  return closePause(bridge, { taskId, view, isGone });
}

function answerParts(bridge: Bridge, pause: PauseMemory, entries: readonly ResumeEntry[]) {
  const given = new Map(entries.map((entry) => [entry.interruptId, entry]));
  return dialectCalled(pause.dialect, bridge.dialects).write(
    pause.interrupts.map(({ id, text: _shown, ...asked }) => {
      const entry = given.get(id);
      if (entry?.status === 'resolved') return { asked, status: entry.status, payload: entry.payload };
      return { asked, status: 'cancelled', reason: whyCancelled(bridge, entry) };
    }),
  );
}

/** How a request was cancelled, for the agent; names no person. */
function whyCancelled({ context }: Bridge, entry: ResumeEntry | undefined): string {
  if (entry === undefined) return cancelledText();
  const { by, ...rest } = cancellationOf(entry, context);
  return cancelledText({ ...rest, by: by && { id: 'a person' } });
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

/**
 * Cancels the task at the agent, within `cancelMs`. New messages of the user then start a new task. Opens the pause again if the
 * request was not delivered.
 */
async function cancelTask(
  bridge: Bridge,
  { task: paused, view, outbound, reason }: Answering & { readonly reason: string },
): Promise<void> {
  const { connection, signal, timing, activities, state, display, emitter, fresh, context } = bridge;
  const { taskId, pause } = paused;
  const stop = new AbortController();
  const options = { signal: AbortSignal.any([signal, stop.signal]) };
  let failure: unknown;
  const cancelled = connection.client
    .cancelTask({ tenant: '', id: taskId, metadata: { reason } }, options)
    .then(
      (task) => view.take({ $case: 'task', value: task }),
      (error: unknown) => {
        failure = error;
        context.onError?.(error);
      },
    );
  if ((await within(cancelled, timing.cancelMs, signal)) === TOO_LATE) {
    context.onWarning?.(
      `The A2A agent ${bridge.agentId} did not confirm within ${timing.cancelMs} ms that it cancelled the task ${taskId}.`,
    );
  }
  stop.abort();
  if (wasNeverSent(failure)) {
    await releasePause(bridge, paused, outbound);
    throw undelivered(bridge, failure);
  }
  const task = await changeTask(bridge, taskId, (known) => {
    if (known === undefined) return undefined;
    const { pause: _closed, ...rest } = known;
    const told = isOver(view.state) ? { told: 'over' as const } : {};
    return { ...rest, status: view.state, lastRunId: bridge.input.runId, ...told };
  });
  // The last words of the agent.
  if (isOver(view.state)) display.show(view, true);
  for (const interrupt of pause.interrupts) {
    const entry = { interruptId: interrupt.id, status: 'cancelled' as const };
    activities.answer(taskId, interrupt, { stage: 'completed', entry });
  }
  if (task !== undefined) state.show(task);
  bridge.report({ status: 'taken' });
  if (fresh.length > 0 && context.stopSignal?.aborted !== true) await beginTask(bridge);
  else emitter.cancel();
}
