import type { SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { Clock } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { isTaskGone, refusalOf, wasNeverSent } from './a2a-failure.ts';
import type { Connection } from './connect.ts';
import type { createTaskView, TaskView } from './task-view.ts';
import { isOver, isPaused } from './task-view.ts';
import type { Timing } from './timing.ts';
import { pause, TOO_LATE, within } from './timing.ts';

/** The exchange with an agent until its task pauses or ends. */
export interface Conversation {
  readonly connection: Connection;
  readonly view: ReturnType<typeof createTaskView>;
  /** The message to send first; without it, the task of the view is followed. */
  readonly request?: SendMessageRequest;
  /** Whether the pause in view is the one that the request answers. */
  readonly isAnswered: (view: TaskView) => boolean;
  /** Called after every change, before the next event is read. */
  readonly onChange: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timing: Timing;
}

/** Where the exchange stopped: a reply without a task, the end of the task, or a pause. */
export type Arrived = 'reply' | 'over' | 'paused';

/** Failed reads of a task in a row before `converse` gives up. */
const MAX_FAILED_READS = 5;

/**
 * Follows a task until it pauses or ends. Reads the stream, and reads the task itself when the stream is silent, ends early or does
 * not end. The last read of the task decides. Throws the refusal of the agent, or `RUN_LOST` if it is unknown whether the agent
 * got the message.
 */
export async function converse(conversation: Conversation): Promise<Arrived> {
  const { view, request, onChange, signal, clock, timing } = conversation;
  if (request !== undefined) await sendAndListen(conversation, request);
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
    if (asksAgain) return 'paused';
    await pause(Math.min(timing.pollMs, 50 * 2 ** reads), signal);
  }
}

function arrivedAt({ view, isAnswered }: Conversation): Arrived | undefined {
  if (view.reply !== undefined) return 'reply';
  if (isOver(view.state)) return 'over';
  return isPaused(view.state) && !isAnswered(view) ? 'paused' : undefined;
}

/** Reads the task into the view. Returns false if the read fails and the stream has already told how the task stands. */
async function readTask(conversation: Conversation, isKnown: boolean): Promise<boolean> {
  const { view, signal, timing } = conversation;
  for (let failures = 0; ; failures += 1) {
    try {
      view.take({ $case: 'task', value: await getTask(conversation) });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isKnown) return false;
      if (isTaskGone(error)) {
        throw new HoldpointError('RUN_LOST', `The A2A agent no longer knows the task ${view.taskId}.`, {
          cause: error,
        });
      }
      if (failures >= MAX_FAILED_READS) throw error;
      await pause(timing.pollMs, signal);
    }
  }
}

async function getTask({ connection, view, signal, timing }: Conversation): Promise<Task> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timing.requestMs)]);
  return connection.client.getTask({ tenant: '', id: view.taskId }, { signal: limit });
}

async function sendAndListen(conversation: Conversation, request: SendMessageRequest): Promise<void> {
  const { view, signal } = conversation;
  let received = 0;
  try {
    for await (const payload of listen(conversation, request)) {
      received += 1;
      view.take(payload);
      await conversation.onChange();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (HoldpointError.is(error)) throw error;
    if (received > 0 && view.taskId !== '') return;
    if (refusalOf(error)?.definite === true || wasNeverSent(error)) throw error;
    if (await wasTaken(conversation, request)) return;
    throw new HoldpointError('RUN_LOST', 'It is unknown whether the A2A agent got the message.', {
      cause: error,
    });
  }
  if (received === 0 && !(await wasTaken(conversation, request))) {
    throw new HoldpointError('RUN_LOST', 'The A2A agent ended its stream without an event.');
  }
}

/** Whether the agent has the message or has gone on, after a failure that does not tell. */
async function wasTaken(conversation: Conversation, { message }: SendMessageRequest): Promise<boolean> {
  const { view } = conversation;
  if (view.taskId === '') return false;
  try {
    view.take({ $case: 'task', value: await getTask(conversation) });
  } catch {
    return false;
  }
  const isSeen = message !== undefined && view.heard.has(message.messageId);
  return isSeen || !isPaused(view.state) || !conversation.isAnswered(view);
}

/** The payloads after a message, until the stream ends or `drainMs` after the task has paused or ended. */
async function* listen(
  conversation: Conversation,
  request: SendMessageRequest,
): AsyncGenerator<StreamResponse['payload'], void, undefined> {
  const { connection, timing, signal, clock } = conversation;
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
  let until: number | undefined;
  let next = events.next();
  try {
    for (;;) {
      if (until === undefined && arrivedAt(conversation) !== undefined) until = clock.now() + timing.drainMs;
      const wait = until === undefined ? timing.quietMs : Math.max(0, until - clock.now());
      const event = await within(next, wait, signal);
      if (event === TOO_LATE) {
        // The task may have gone on although the stream is silent.
        if (until !== undefined || (conversation.view.taskId !== '' && (await hasArrived(conversation))))
          return;
        continue;
      }
      if (event.done === true) return;
      yield event.value.payload;
      if (arrivedAt(conversation) === 'reply') return;
      next = events.next();
    }
  } finally {
    // Ends the stream; the task goes on.
    stop.abort();
    next.catch(() => undefined);
    void events.return?.(undefined).catch(() => undefined);
  }
}

async function hasArrived(conversation: Conversation): Promise<boolean> {
  try {
    conversation.view.take({ $case: 'task', value: await getTask(conversation) });
  } catch {
    return false;
  }
  return arrivedAt(conversation) !== undefined;
}
