import { defined, isRecord, ownMember } from '../../core/index.ts';
import type { ContentPart, Message, ToolCall } from '../../protocol/index.ts';
import type { CallState } from './call-state.ts';
import { callState, withoutState } from './call-state.ts';

/**
 * The messages as others may see them: results that an unfinished turn keeps are shown as tool messages, and what
 * only the loop needs is left out.
 */
export function publicMessages(messages: readonly Message[]): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return [withoutState(message)];
    const kept = message.toolCalls.flatMap((call) => {
      const state = callState(call);
      return state?.status === 'done' ? [toolMessage(call.id, state)] : [];
    });
    const toolCalls = message.toolCalls.filter((call) => !isHiddenCall(call));
    if (toolCalls.length === message.toolCalls.length) return [withoutState(message), ...kept];
    const { toolCalls: _hidden, ...rest } = withoutState(message);
    return rest.content === undefined ? [] : [rest];
  });
}

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
    ...defined({ error: state.error }),
  };
}

const PREFIX = 'agent:';

/** The name of the call that stands for an agent written as code; only the loop sees it. */
export function codeCallName(agentId: string): string {
  return `${PREFIX}${agentId}`;
}

/** The name of the call that stands for a call of the model whose middleware waits. */
export const MODEL_CALL = `${PREFIX}#model`;

/** Whether nobody but the loop sees a call. */
export function isHiddenCall(call: ToolCall): boolean {
  return call.function.name.startsWith(PREFIX);
}
