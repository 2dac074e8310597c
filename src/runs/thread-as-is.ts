import { publicMessages } from '../engine/index.ts';
import type { Access, InterruptRecord, ThreadRecord } from '../ledger/index.ts';
import { openInterrupts, readLog, readThread } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { createEmitter, EventType } from '../protocol/index.ts';
import { clientCalls, readConversation, withMessages } from './conversation.ts';

/** A thread for a reader. */
export interface ThreadAsIs {
  readonly thread: ThreadRecord | undefined;
  readonly messages: readonly Message[];
  readonly state: unknown;
  /** The open interrupts without an answer. */
  readonly open: readonly InterruptRecord[];
  /** The calls of the client that have no result, if the thread waits for nothing else. */
  readonly pendingToolCallIds: readonly string[];
}

/** All rows are of one moment: that of the thread row, which changes with all of them. */
export async function readThreadAsIs(access: Access<'read' | 'run'>): Promise<ThreadAsIs> {
  const found = await readThread(access);
  const thread = found?.pruned === undefined ? found : undefined;
  if (thread === undefined) return { thread, messages: [], state: {}, open: [], pendingToolCallIds: [] };
  const [conversation, open] = await Promise.all([
    readConversation(access, { through: thread.logs.messages }),
    openInterrupts(access, thread),
  ]);
  const turn = openTurnOf(thread);
  // Written by `toLog`: messages that came with answers and follow the turn.
  const waiting = (thread.input ?? []) as unknown as readonly Message[];
  const shown = turn === undefined ? conversation : [...conversation, turn];
  const messages = withMessages(publicMessages(shown), publicMessages(waiting));
  const isAtRest = thread.turn === undefined && thread.active === undefined;
  const pendingToolCallIds = isAtRest ? [...clientCalls(lastTurn(conversation))] : [];
  return { thread, messages, state: thread.state, open, pendingToolCallIds };
}

/** The messages after the last one of the user. */
function lastTurn(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
}

/** The message of an open turn, for an agent of ours. */
export function openTurnOf(thread: ThreadRecord | undefined): Message | undefined {
  const turn = thread?.turn;
  return typeof turn === 'object' && turn !== null && 'role' in turn
    ? (turn as unknown as Message)
    : undefined;
}

/** The thread as the events of an empty run: state, messages, and as outcome the open interrupts or calls of the client. */
export function asIsEvents(
  ids: { readonly threadId: string; readonly runId: string },
  { messages, state, open, pendingToolCallIds }: Omit<ThreadAsIs, 'thread'>,
): AgentStreamEvent[] {
  const events: AgentStreamEvent[] = [];
  const emitter = createEmitter({ ...ids, write: (event) => events.push(event) });
  emitter.start();
  if (open.length > 0) {
    emitter.interrupt(
      open.map(({ interrupt }) => interrupt),
      { state, messages },
    );
    return events;
  }
  emitter.state(state);
  emitter.messages(messages);
  emitter.finish(pendingToolCallIds.length === 0 ? {} : { pendingToolCallIds });
  return events;
}

/** The start of a reader of a thread: its content, and the place of its log to follow from. */
export interface Joined {
  readonly asIs: ThreadAsIs;
  readonly from: number;
  /** Whether a later event is already part of the shown content. */
  readonly isShown: (event: AgentStreamEvent, place: number) => boolean;
  /** Whether a run was active. */
  readonly isActive: boolean;
}

const PAGE = 1000;

/**
 * Reads a thread for a reader who will follow it. The events of a run at work come from its beginning; what the run
 * has already added to the thread is therefore left out of what is shown first, or out of what follows: nothing comes twice.
 */
export async function joinThread(access: Access<'read' | 'run'>): Promise<Joined> {
  const asIs = await readThreadAsIs(access);
  const { thread } = asIs;
  const end = thread?.logs.events ?? 0;
  const active = thread?.active;
  if (active === undefined) return { asIs, from: end, isShown: () => false, isActive: false };
  const made = new Set<string>();
  for (let after = active.eventsBefore; after < end;) {
    const items = await readLog(access, { log: 'events', after, limit: PAGE });
    const last = items.at(-1);
    if (last === undefined) break;
    for (const { item } of items)
      for (const name of madeBy(item as unknown as AgentStreamEvent)) made.add(name);
    after = last.sequence;
  }
  const { stateAt = 0 } = active;
  return {
    asIs: { ...asIs, messages: asIs.messages.filter((message) => !isMade(message, made)) },
    from: active.eventsBefore,
    isShown: ({ type }, place) =>
      place <= stateAt && (type === EventType.STATE_DELTA || type === EventType.STATE_SNAPSHOT),
    isActive: true,
  };
}

/** The ids that an event adds to the conversation. */
function madeBy(event: AgentStreamEvent): readonly string[] {
  switch (event.type) {
    case EventType.TEXT_MESSAGE_START:
    case EventType.REASONING_MESSAGE_START:
    case EventType.ACTIVITY_SNAPSHOT:
      return [`message ${event.messageId}`];
    case EventType.TOOL_CALL_START:
      return [`message ${event.parentMessageId ?? event.toolCallId}`, `call ${event.toolCallId}`];
    case EventType.TOOL_CALL_RESULT:
      return [`message ${event.messageId}`, `result ${event.toolCallId}`];
    default:
      return [];
  }
}

function isMade(message: Message, made: ReadonlySet<string>): boolean {
  if (made.has(`message ${message.id}`)) return true;
  if (message.role === 'tool') return made.has(`result ${message.toolCallId}`);
  if (message.role !== 'assistant') return false;
  return (message.toolCalls ?? []).some(({ id }) => made.has(`call ${id}`));
}
