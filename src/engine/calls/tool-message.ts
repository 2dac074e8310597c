import { isRecord, ownMember } from '../../core/index.ts';
import type { ContentPart, Message, Metadata } from '../../protocol/index.ts';
import type { CallState } from './call-state.ts';

const CONTENT = 'holdpoint:content';

/** An output of several parts, such as text and images, for a tool to return. */
export function contentResult(parts: readonly ContentPart[]): Readonly<Record<string, unknown>> {
  return { [CONTENT]: parts };
}

/** What goes into a tool message: text as it is, parts as they are, anything else as JSON. */
export function resultContent(output: unknown): string | ContentPart[] {
  if (typeof output === 'string') return output;
  const parts = isRecord(output) ? ownMember(output, CONTENT) : undefined;
  // Made by `contentResult`, which takes nothing else.
  if (Array.isArray(parts)) return parts as ContentPart[];
  return JSON.stringify(output ?? null) ?? 'null';
}

/** The id of the message that carries a call's result; the same every time. */
export function resultMessageId(toolCallId: string): string {
  return `result-${toolCallId}`;
}

/** The tool message of a finished call. */
export function toolMessage(toolCallId: string, state: Extract<CallState, { status: 'done' }>): Message {
  return {
    id: resultMessageId(toolCallId),
    role: 'tool',
    toolCallId,
    content: resultContent(state.output),
    ...(state.error === undefined ? {} : { error: state.error }),
    ...resultMetadata(state),
  };
}

/** What an event with a result says besides its content: the event has no member for an error. */
export function resultMetadata({ title, error }: Extract<CallState, { status: 'done' }>): {
  readonly metadata?: Metadata;
} {
  const metadata = { ...(title === undefined ? {} : { title }), ...(error === undefined ? {} : { error }) };
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}
