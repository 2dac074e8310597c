import type { SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { Clock } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { isOver, isPaused } from './task-state.ts';
import { isTaskGone, refusalOf, wasNeverSent } from './a2a-failure.ts';
import type { Connection } from './connect.ts';
import type { createTaskView, TaskView } from './task-view.ts';
import type { Timing } from './timing.ts';
import { pause, TOO_LATE, within } from './timing.ts';

/** A part of a conversation with an agent: from a message, or from where the task is, to where it waits or ends. */
export interface Conversation {
  readonly connection: Connection;
  readonly view: ReturnType<typeof createTaskView>;
  /** What begins it; without it the task of the view is followed. */
  readonly request?: SendMessageRequest;
  /** Whether the pause in view is the one that was answered. */
  readonly isAnswered: (view: TaskView) => boolean;
  /** Told of every change, before the next is read. */
  readonly onChange: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timing: Timing;
}

/** Where it got to: a reply without a task, a task that is over, or one that waits. */
export type Arrived = 'reply' | 'over' | 'paused';

/** Looks that may fail, one after the other, before an agent counts as gone. */
const MAX_FAILED_LOOKS = 5;

/**
 * Follows a task until it waits or is over, by the stream, and by looking where the stream says nothing, ends early or
 * goes on for ever. What the task itself says last is what counts. Throws what the agent refused, and `RUN_LOST` where
 * nobody knows whether it got the message.
 */
export async function converse(conversation: Conversation): Promise<Arrived> {
  const { view, request, onChange, signal, clock, timing } = conversation;
  if (request !== undefined) await sendAndListen(conversation, request);
  const answeredSince = clock.now();
  for (let looks = 0; ; looks += 1) {
    signal.throwIfAborted();
    if (view.reply !== undefined) return 'reply';
    const heard = arrivedAt(conversation);
    const looked = await look(conversation, heard !== undefined);
    await onChange();
    const arrived = arrivedAt(conversation);
    if (arrived !== undefined) return arrived;
    // It took the answer, and asks the same again without saying so.
    const waits = looked && isPaused(view.state) && clock.now() - answeredSince > timing.settleMs;
    if (waits) return 'paused';
    await pause(Math.min(timing.pollMs, 50 * 2 ** looks), signal);
  }
}

function arrivedAt({ view, isAnswered }: Conversation): Arrived | undefined {
  if (view.reply !== undefined) return 'reply';
  if (isOver(view.state)) return 'over';
  return isPaused(view.state) && !isAnswered(view) ? 'paused' : undefined;
}

/** Looks at the task. Where the stream has already told how it ended, a look that fails changes nothing. */
async function look(conversation: Conversation, isKnown: boolean): Promise<boolean> {
  const { view, signal, timing } = conversation;
  for (let failures = 0; ; failures += 1) {
    try {
      view.take({ $case: 'task', value: await getTask(conversation) });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isKnown) return false;
      if (isTaskGone(error)) {
        throw new HoldpointError('RUN_LOST', `The agent no longer knows the task ${view.taskId}.`, {
          cause: error,
        });
      }
      if (failures >= MAX_FAILED_LOOKS) throw error;
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
  let said = 0;
  try {
    for await (const payload of listen(conversation, request)) {
      said += 1;
      view.take(payload);
      await conversation.onChange();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (HoldpointError.is(error)) throw error;
    if (said > 0 && view.taskId !== '') return;
    if (refusalOf(error)?.definite === true || wasNeverSent(error)) throw error;
    if (await wasTaken(conversation, request)) return;
    throw new HoldpointError('RUN_LOST', 'Nobody knows whether the A2A agent got the message.', {
      cause: error,
    });
  }
  if (said === 0 && !(await wasTaken(conversation, request))) {
    throw new HoldpointError('RUN_LOST', 'The A2A agent ended its stream without a word.');
  }
}

/** After an unclear failure: whether the agent has the message, or has gone on. */
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

/** What the agent says to a message: until it waits, and a little longer, or until the stream ends. */
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
        // A silent stream proves nothing; the task may have moved on without it.
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
    // Stops the listening only: the task goes on.
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
