import { HoldpointError } from '../../core/index.ts';
import type { AgentStreamEvent } from '../events.ts';

/** The span that an event opens, continues or closes. */
export interface Span {
  readonly kind: SpanKind;
  readonly id: string;
  readonly does: 'open' | 'continue' | 'close';
}

export type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];

/** The kinds by the prefix of their event names. */
export const SPAN_KINDS = {
  TEXT_MESSAGE: 'text message',
  TOOL_CALL: 'tool call',
  REASONING: 'reasoning span',
  REASONING_MESSAGE: 'reasoning message',
} as const;

/** The action by the suffix of an event name. */
const PARTS = { START: 'open', CONTENT: 'continue', ARGS: 'continue', END: 'close' } as const;

const SPANS: ReadonlyMap<string, Omit<Span, 'id'>> = new Map(
  Object.entries(SPAN_KINDS).flatMap(([name, kind]) =>
    Object.entries(PARTS).map(([part, does]) => [`${name}_${part}`, { kind, does }] as const),
  ),
);

interface Ids {
  readonly type: string;
  readonly messageId?: string | undefined;
  readonly toolCallId?: string | undefined;
}

/** The span of an event; undefined for an event without a span. */
export function spanOf(event: AgentStreamEvent): Span | undefined {
  const span = SPANS.get(event.type);
  if (span === undefined) return undefined;
  const { kind, does } = span;
  const { toolCallId, messageId }: Ids = event;
  return { kind, does, id: (kind === 'tool call' ? toolCallId : messageId) ?? '' };
}

/** An `INPUT_INVALID` that names the event and the rule that it breaks. */
export function broken({ type }: AgentStreamEvent, rule: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `${type} is not allowed here: ${rule}.`);
}
