import { publicMessages } from '../engine/index.ts';
import type { BeginRun } from '../ledger/index.ts';
import type { AgentStreamEvent, Message } from '../protocol/index.ts';
import { EventType } from '../protocol/index.ts';
import type { Truncation } from './conversation.ts';

type RunStarted = Extract<AgentStreamEvent, { type: EventType.RUN_STARTED }>;

/** What somebody who watches does not know of a run's beginning. */
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
