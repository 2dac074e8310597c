import type { Message } from '../../protocol/index.ts';
import { callState, withoutState } from '../calls/call-state.ts';
import { toolMessage } from '../calls/tool-message.ts';
import { isHiddenCall } from '../calls/hidden-call.ts';

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
