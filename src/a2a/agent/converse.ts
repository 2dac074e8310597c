import type { SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { Clock } from '../../core/index.ts';
import { HoldpointError, pause, TOO_LATE, within } from '../../core/index.ts';
import { inDoubt, isTaskGone, mayPass, refusalOf, wasNeverSent } from './a2a-failure.ts';
import type { Connection } from './connect.ts';
import type { TaskStop } from './stop-task.ts';
import type { createTaskView, TaskView } from './task-view.ts';
import { isOver, isPaused } from './task-view.ts';
import type { Timing } from './timing.ts';

/** The exchange with an agent until its task pauses or ends. */
export interface Conversation extends Reach {
  readonly view: ReturnType<typeof createTaskView>;
  /** The message to send first; without it, the task of the view is followed. */
  readonly request?: SendMessageRequest;
  /** Whether the pause in view is the one that the request answers. */
  readonly isAnswered: (view: TaskView) => boolean;
  /** Called after every change, before the next event is read. */
  readonly onChange: () => Promise<void>;
  /** Stops the task when a person stops the run. */
  readonly stop: TaskStop;
}

/** The connection to an agent, and its time limits. */
export interface Reach {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timing: Timing;
  /** Called once when the agent cannot be reached for a while. */
  readonly onUnreachable?: (error: unknown) => void;
}

/** Where the exchange stopped: a reply without a task, the end of the task, or a pause. */
export type Arrived = 'reply' | 'over' | 'paused';

/** Failed requests in a row before the agent counts as unreachable. */
const MAX_FAILED = 5;

/** The longest time between two attempts to reach an agent, in milliseconds. */
const MAX_PAUSE_MS = 30_000;

/**
 * Follows a task until it pauses or ends. Reads the stream, and reads the task itself when the task pauses or the stream is silent,
 * ends early or does not end. The last read of the task decides. Waits up to `followMs` for an agent that cannot be reached. Throws the refusal of
 * the agent, or `RUN_LOST` if it is unknown whether the agent got the message.
 */
export async function converse(conversation: Conversation): Promise<Arrived> {
  const { view, request, onChange, signal, clock, timing, stop } = conversation;
  // A stream that ends by itself after the end of the task has told everything.
  if (request !== undefined && (await sendAndListen(conversation, request)) && isOver(view.state))
    return 'over';
  const answeredSince = clock.now();
  for (let reads = 0; ; reads += 1) {
    signal.throwIfAborted();
    if (view.reply !== undefined) return 'reply';
    const heard = arrivedAt(conversation);
    const isRead = await readTask(conversation, heard !== undefined);
    await onChange();
    const arrived = arrivedAt(conversation);
    if (arrived !== undefined) return arrived;
    // The agent took the answer and shows the same pause again.
    const asksAgain = isRead && isPaused(view.state) && clock.now() - answeredSince > timing.settleMs;
    if (asksAgain && !stop.isUnderWay) return 'paused';
    await pause(Math.min(timing.pollMs, 50 * 2 ** reads), signal);
  }
}

function arrivedAt({ view, isAnswered, stop }: Conversation): Arrived | undefined {
  if (view.reply !== undefined) return 'reply';
  if (isOver(view.state)) return 'over';
  return isPaused(view.state) && !isAnswered(view) && !stop.isUnderWay ? 'paused' : undefined;
}

/** Reads the task into the view. Returns false if the read fails and the stream has already told how the task stands. */
async function readTask(conversation: Conversation, isKnown: boolean): Promise<boolean> {
  const { view } = conversation;
  try {
    const read = () => getTask(conversation, view.taskId);
    view.take({ $case: 'task', value: await (isKnown ? read() : patiently(conversation, read)) });
    return true;
  } catch (error) {
    conversation.signal.throwIfAborted();
    if (isKnown) return false;
    if (!isTaskGone(error)) throw error;
    const sentence = `The A2A agent no longer knows the task ${view.taskId}.`;
    throw new HoldpointError('RUN_LOST', sentence, { cause: error });
  }
}

/**
 * Repeats a request that changes nothing, until the agent answers it. A lost task fails at once, another refusal after a few
 * attempts, an agent that cannot be reached after `followMs`.
 */
export async function patiently<Result>(
  { signal, clock, timing, onUnreachable }: Omit<Reach, 'connection'>,
  request: () => Promise<Result>,
): Promise<Result> {
  const since = clock.now();
  for (let failures = 1; ; failures += 1) {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (isTaskGone(error)) throw error;
      const isLate = clock.now() - since > timing.followMs;
      if (failures >= MAX_FAILED && (isLate || !mayPass(error))) throw error;
      if (failures === MAX_FAILED) onUnreachable?.(error);
      const longer = Math.max(0, failures - MAX_FAILED);
      await pause(Math.min(MAX_PAUSE_MS, timing.pollMs * 2 ** Math.min(longer, 10)), signal);
    }
  }
}

/** Reads a task from the agent, within `requestMs`. */
export async function getTask(
  { connection, signal, timing }: Pick<Reach, 'connection' | 'signal' | 'timing'>,
  id: string,
): Promise<Task> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timing.requestMs)]);
  return connection.client.getTask({ tenant: '', id }, { signal: limit });
}

const PAGE = 100;
const MAX_PAGES = 5;
const MAX_HISTORY = 50;

/**
 * The task that a message started, by the id of the message in its history. Undefined if the agent shows no such task, or
 * cannot list tasks, as before A2A 1.0: then the outcome is unknown.
 */
export async function findTask(
  reach: Reach,
  { outbound, contextId = '' }: { readonly outbound: string; readonly contextId?: string | undefined },
): Promise<Task | undefined> {
  const { connection, signal, timing } = reach;
  let pageToken = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const list = () =>
      connection.client.listTasks(
        {
          tenant: '',
          contextId,
          status: TaskState.TASK_STATE_UNSPECIFIED,
          pageSize: PAGE,
          pageToken,
          historyLength: MAX_HISTORY,
          statusTimestampAfter: undefined,
        },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(timing.requestMs)]) },
      );
    try {
      const { tasks, nextPageToken } = await patiently(reach, () =>
        list().catch((error: unknown) => {
          // A refusal means that the agent cannot list tasks.
          const refusal = refusalOf(error);
          if (refusal === undefined || (refusal.status ?? 0) >= 500) throw error;
          return { tasks: [], nextPageToken: '' };
        }),
      );
      const found = tasks.find(({ history }) => history.some(({ messageId }) => messageId === outbound));
      if (found !== undefined || nextPageToken === '') return found;
      pageToken = nextPageToken;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }
  return undefined;
}

/** Sends the message and takes the payloads that follow. Returns whether the stream ended by itself. */
async function sendAndListen(conversation: Conversation, request: SendMessageRequest): Promise<boolean> {
  const { view, signal } = conversation;
  let received = 0;
  const payloads = listen(conversation, request);
  let isWhole = false;
  try {
    for (;;) {
      const next = await payloads.next();
      if (next.done === true) {
        isWhole = next.value;
        break;
      }
      received += 1;
      view.take(next.value);
      await conversation.onChange();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (HoldpointError.is(error)) throw error;
    if (received > 0 && view.taskId !== '') return false;
    if (refusalOf(error)?.definite === true || wasNeverSent(error)) throw error;
    if (await wasTaken(conversation, request)) return false;
    throw inDoubt('It is unknown whether the A2A agent got the message.', error);
  }
  if (received === 0 && !(await wasTaken(conversation, request))) {
    throw inDoubt('The A2A agent ended its stream without an event.');
  }
  return isWhole;
}

/** Whether the agent has the message or has gone on, after a failure that does not tell. */
async function wasTaken(conversation: Conversation, { message }: SendMessageRequest): Promise<boolean> {
  const { view } = conversation;
  const outbound = message?.messageId ?? '';
  try {
    const task =
      view.taskId === ''
        ? await findTask(conversation, { outbound, contextId: message?.contextId })
        : await patiently(conversation, () => getTask(conversation, view.taskId));
    if (task === undefined) return false;
    view.take({ $case: 'task', value: task });
  } catch {
    conversation.signal.throwIfAborted();
    return false;
  }
  return view.heard.has(outbound) || !isPaused(view.state) || !conversation.isAnswered(view);
}

/**
 * The payloads after a message, until the stream ends or `drainMs` after the task has paused or ended. Returns whether the stream
 * ended by itself.
 */
async function* listen(
  conversation: Conversation,
  request: SendMessageRequest,
): AsyncGenerator<StreamResponse['payload'], boolean, undefined> {
  const { connection, timing, signal, clock, stop: taskStop } = conversation;
  const stop = new AbortController();
  const options = { signal: AbortSignal.any([signal, stop.signal]) };
  const events = (connection.streaming ? connection.client.sendMessageStream(request, options) : sendOnce())[
    Symbol.asyncIterator
  ]();
  async function* sendOnce(): AsyncGenerator<StreamResponse, void, undefined> {
    const result = await connection.client.sendMessage(request, options);
    yield {
      payload: 'messageId' in result ? { $case: 'message', value: result } : { $case: 'task', value: result },
    };
  }
  // After CancelTask an agent may leave the stream open, so read the task instead.
  const wake = AbortSignal.any([signal, taskStop.answered]);
  let until: number | undefined;
  let isEnded = false;
  let next = events.next();
  try {
    for (;;) {
      if (until === undefined && arrivedAt(conversation) !== undefined) until = clock.now() + timing.drainMs;
      const wait = until === undefined ? timing.quietMs : Math.max(0, until - clock.now());
      const event = await within(next, wait, wake);
      if (event === TOO_LATE) {
        // The task may have gone on although the stream is silent.
        if (until !== undefined || (conversation.view.taskId !== '' && (await hasArrived(conversation))))
          return false;
        continue;
      }
      if (event.done === true) {
        isEnded = true;
        return true;
      }
      yield event.value.payload;
      if (arrivedAt(conversation) === 'reply') return false;
      next = events.next();
    }
  } catch (error) {
    if (signal.aborted || !taskStop.answered.aborted) throw error;
    return false;
  } finally {
    if (!isEnded) {
      // Ends the stream; the task goes on.
      stop.abort();
      next.catch(() => undefined);
      void events.return?.(undefined).catch(() => undefined);
    }
  }
}

async function hasArrived(conversation: Conversation): Promise<boolean> {
  const { view } = conversation;
  try {
    view.take({ $case: 'task', value: await getTask(conversation, view.taskId) });
  } catch {
    return false;
  }
  return arrivedAt(conversation) !== undefined;
}
