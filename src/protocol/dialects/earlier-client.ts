import type { ContentPart, Message, PartSource, RunFinishedEvent } from '@ag-ui/core';
import { EventType } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { defined } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';
import type { WireEvent } from './dialect.ts';

/** The forms that a client before AG-UI 1.0 reads. */
export interface EarlierClient {
  /** The form of its answers: `resume` is 0.0.55 to 0.0.59, `command` 0.0.45 to 0.0.53. */
  readonly answers: 'resume' | 'command';
  /** The form of its events. The binary form has no tool results, reasoning and activities. */
  readonly form: 'json' | 'binary';
}

/**
 * An event for a client before AG-UI 1.0, which sends no `protocolVersion`. Its schemas reject an event with a type or
 * a member that they do not know, and the run fails in the client. Undefined for an event that it cannot read.
 */
export function forEarlierClient(event: AgentStreamEvent, client: EarlierClient): WireEvent | undefined {
  if (client.form === 'binary' && /^(?:TOOL_CALL_RESULT|REASONING_|ACTIVITY_)/.test(event.type))
    return undefined;
  switch (event.type) {
    case EventType.SUBAGENT_STARTED:
    case EventType.SUBAGENT_FINISHED:
    case EventType.SUBAGENT_ERROR:
      return undefined;
    // Steps of two agents may have the same name; such a client sees one agent.
    case EventType.STEP_STARTED:
    case EventType.STEP_FINISHED:
      return event.subagentRunId === undefined ? event : undefined;
    case EventType.TEXT_MESSAGE_CONTENT:
    case EventType.REASONING_MESSAGE_CONTENT:
      return event.delta === '' ? undefined : event;
    case EventType.TOOL_CALL_RESULT:
      return typeof event.content === 'string' ? event : { ...event, content: textOf(event.content) };
    case EventType.MESSAGES_SNAPSHOT:
      return { ...event, messages: readableMessages(event.messages, client) };
    case EventType.RUN_STARTED: {
      const { input } = event;
      if (input === undefined) return event;
      // Binary messages inside an input have members that the schemas reject; the client knows its input.
      if (client.form === 'binary') return defined({ ...event, input: undefined });
      return { ...event, input: { ...input, messages: readableMessages(input.messages, client) } };
    }
    case EventType.RUN_FINISHED:
      return readableEnd(event, client);
    default:
      return event;
  }
}

/**
 * An end with an outcome that the client knows. The calls of the client have no result, so it finds them; a cancelled
 * run has no outcome and reads like a success. A client of `command` reads `on_interrupt` and no outcome.
 */
function readableEnd(event: RunFinishedEvent, { answers }: EarlierClient): WireEvent {
  const { outcome, ...rest } = event;
  if (answers === 'command' || outcome?.type === 'cancelled') return rest;
  return outcome?.type === 'success' ? { ...rest, outcome: { type: 'success' } } : event;
}

function readableMessages(messages: readonly Message[], client: EarlierClient): UnknownRecord[] {
  const hasNoParts = client.form === 'binary' && client.answers === 'command';
  const readable = client.form === 'json' ? messages : messages.filter(({ role }) => role !== 'activity');
  return readable.map((message) => {
    if (message.role !== 'user' && message.role !== 'tool') return message;
    if (typeof message.content === 'string') return message;
    if (message.role === 'tool' || hasNoParts) return { ...message, content: textOf(message.content) };
    const parts = message.content.flatMap((part) => readablePart(part, client) ?? []);
    // The binary form cannot tell an empty list from no content.
    return { ...message, content: parts.length === 0 ? '' : parts };
  });
}

/** A part of a user message: media as `binary` for a client of `command`. Undefined for a part that has no earlier form. */
function readablePart(part: ContentPart, { answers }: EarlierClient): UnknownRecord | undefined {
  if (part.type === 'text') return part;
  if (answers === 'resume') return part.source.type === 'file' ? undefined : part;
  const { type, value, mimeType = 'application/octet-stream' } = part.source;
  return value === '' ? undefined : { type: 'binary', mimeType, [BINARY_MEMBER[type]]: value };
}

/** The member of a `binary` part for each source. */
const BINARY_MEMBER: Readonly<Record<PartSource['type'], string>> = { data: 'data', url: 'url', file: 'id' };

/** The text of content parts; other parts are named by their type. */
function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
