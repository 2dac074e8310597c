import type { JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import { publicMessages } from '../engine/index.ts';
import type { Access, BeginRun, ToLogItems } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { Truncation } from './conversation.ts';
import { readConversation } from './conversation.ts';

const THROUGH = 'holdpointThrough';

/**
 * The stored form of a run's events: a snapshot of messages keeps only the messages that the log of messages does not have.
 * `messageHead`: the end of that log when the run began. `messages`: the number of public messages then, for an agent of ours,
 * whose snapshots are the conversation, the messages of the run and the open turn. Without it only the snapshot right before the
 * end of a run is known to be the conversation as it is kept.
 */
export function createLogItems(start: {
  readonly messageHead: number;
  readonly messages?: number;
}): ToLogItems {
  const isOurs = start.messages !== undefined;
  let kept = start.messages ?? 0;
  let head = start.messageHead;
  return (events, change) => {
    const added = change.messages ?? [];
    // Written by `toLog`.
    if (isOurs) kept += publicMessages(added as unknown as Message[]).length;
    head += added.length;
    const last = 'outcome' in change ? events.at(-2) : undefined;
    return events.map((event) => {
      if (event.type !== EventType.MESSAGES_SNAPSHOT) return asItem(event);
      // A snapshot of the beginning may be written with messages that came after it.
      if (event.messages.length === start.messages) return shortSnapshot(event, [], start.messageHead);
      if (isOurs) return shortSnapshot(event, event.messages.slice(kept), head);
      return event === last ? shortSnapshot(event, [], head) : asItem(event);
    });
  };
}

function asItem(event: object): JsonValue {
  return event as unknown as JsonValue;
}

/** Writes only the messages that the log of messages does not have, and where that log ends. */
function shortSnapshot(event: AgentStreamEvent, tail: readonly Message[], head: number): JsonValue {
  return asItem({ ...event, messages: tail, [THROUGH]: head });
}

/** An event of the log as it was made; a promise only where its messages have to be read. */
export function fromLogItem(
  item: JsonValue,
  access: Access<'read' | 'run' | 'answer'>,
): AgentStreamEvent | Promise<AgentStreamEvent> {
  // Written by the log above.
  const event = item as unknown as AgentStreamEvent;
  return event.type === EventType.MESSAGES_SNAPSHOT ? wholeSnapshot(event, item, access) : event;
}

async function wholeSnapshot(
  event: Extract<AgentStreamEvent, { type: EventType.MESSAGES_SNAPSHOT }>,
  item: JsonValue,
  access: Access<'read' | 'run' | 'answer'>,
): Promise<AgentStreamEvent> {
  if (!isRecord(item) || typeof item[THROUGH] !== 'number') return event;
  const messages: Message[] = await readConversation(access, { through: item[THROUGH] });
  const { [THROUGH]: _through, ...rest } = item;
  return {
    ...rest,
    messages: [...publicMessages(messages), ...event.messages],
  } as unknown as AgentStreamEvent;
}

type RunStarted = Extract<AgentStreamEvent, { type: EventType.RUN_STARTED }>;

/** The facts of a run's beginning that its readers do not know. */
export interface Beginning {
  readonly newMessages: BeginRun['newMessages'];
  /** All that is said by then. */
  readonly conversation: readonly Message[];
}

/**
 * How a run begins for all who watch its thread: with what was said to it, and where that goes back to an earlier message,
 * with the conversation that it goes on from.
 */
export function runStarted(event: RunStarted, { newMessages, conversation }: Beginning): AgentStreamEvent[] {
  // Written by `toLog`.
  const said = newMessages as unknown as readonly (Message | Truncation)[];
  if (said.length === 0) return [event];
  if (said.some((one) => 'truncateAfter' in one)) {
    const messages = publicMessages(conversation);
    return [event, { type: EventType.MESSAGES_SNAPSHOT, messages }];
  }
  const { threadId, runId } = event;
  // Only what everybody sees who sees the thread: not the tools, the context and the rest of what a client sent.
  const messages = publicMessages(said as readonly Message[]);
  const input = { threadId, runId, messages, tools: [], context: [], state: {}, forwardedProps: {} };
  return [{ ...event, input }];
}
