import { isApprovable, isApproved } from '../content/interrupts/index.ts';
import type { JsonValue } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import { publicMessages } from '../engine/index.ts';
import type { Access, BeginRun, InterruptRecord, ToLogItems } from '../ledger/index.ts';
import type { AgentStreamEvent, Message, ResumeEntry } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { Truncation } from './conversation.ts';
import { readConversation } from './conversation.ts';

const THROUGH = 'holdpointThrough';

/**
 * The stored form of events: a messages snapshot keeps only the messages that are not in the message log.
 * `messageHead`: the end of that log when the run began. `messages`: the number of public messages then, for an
 * agent of ours; its snapshots are the conversation, the messages of the run and the open turn. Without `messages`,
 * only the snapshot right before the end of the run equals the stored conversation.
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
      // A snapshot of the start may be written together with later messages.
      if (event.messages.length === start.messages) return shortSnapshot(event, [], start.messageHead);
      if (isOurs) return shortSnapshot(event, event.messages.slice(kept), head);
      return event === last ? shortSnapshot(event, [], head) : asItem(event);
    });
  };
}

function asItem(event: object): JsonValue {
  return event as unknown as JsonValue;
}

/** Keeps only the messages that are not in the message log, and the end of that log. */
function shortSnapshot(event: AgentStreamEvent, tail: readonly Message[], head: number): JsonValue {
  return asItem({ ...event, messages: tail, [THROUGH]: head });
}

/** Restores an event from the log; a promise only if its messages must be read. */
export function fromLogItem(
  item: JsonValue,
  access: Access<'read' | 'run' | 'answer'>,
): AgentStreamEvent | Promise<AgentStreamEvent> {
  // Written by `createLogItems`.
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
  /** The conversation at that time. */
  readonly conversation: readonly Message[];
  /** The interrupts whose answers the run continues with. */
  readonly claimed: readonly InterruptRecord[];
}

/**
 * The start of a run for all readers of its thread: with its new messages and the decisions about approvals, and after a
 * truncation with the conversation that it continues.
 */
export function runStarted(
  event: RunStarted,
  { newMessages, conversation, claimed }: Beginning,
): AgentStreamEvent[] {
  // Written by `toLog`.
  const said = newMessages as unknown as readonly (Message | Truncation)[];
  const resume = claimed.flatMap(decisionOf);
  if (said.length === 0 && resume.length === 0) return [event];
  const { threadId, runId } = event;
  const isTruncated = said.some((one) => 'truncateAfter' in one);
  // Only the public messages, without tools, context and other members of the client's input.
  const messages = isTruncated ? [] : publicMessages(said as readonly Message[]);
  const given = { threadId, runId, messages, tools: [], context: [], state: {}, forwardedProps: {} };
  const input = resume.length === 0 ? given : { ...given, resume };
  if (!isTruncated) return [{ ...event, input }];
  const begins = resume.length === 0 ? event : { ...event, input };
  return [begins, { type: EventType.MESSAGES_SNAPSHOT, messages: publicMessages(conversation) }];
}

/** The decision about an approval, without the other members of the answer. */
function decisionOf({ interrupt, answer }: InterruptRecord): ResumeEntry[] {
  if (answer === undefined || !isApprovable(interrupt)) return [];
  const { id: interruptId } = interrupt;
  if (answer.status === 'cancelled') return [{ interruptId, status: 'cancelled' }];
  return [{ interruptId, status: 'resolved', payload: { approved: isApproved(answer.payload) } }];
}
