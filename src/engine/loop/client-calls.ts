import { HoldpointError } from '../../core/index.ts';
import type { Message } from '../../protocol/index.ts';
import { callState } from '../calls/call-state.ts';
import { resultMessageId } from '../calls/tool-message.ts';

/** What a call gets whose result nobody has any more. */
export const ORPHAN_TEXT = 'Result unavailable (conversation was restored).';

/**
 * Makes sure that every call has a result before a model sees the conversation. Calls the client was to run are
 * answered by the messages that follow; one that was left behind by a later message gets a stand-in. Throws
 * `INPUT_INVALID` when the conversation ends with a call that still has no result.
 */
export function answerClientCalls(messages: readonly Message[]): Message[] {
  if (messages.every((message, index) => isAnswered(message, index, messages))) return [...messages];
  const answered = new Set(
    messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])),
  );
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || message.toolCalls === undefined) return [message];
    const open = message.toolCalls.filter((call) => !answered.has(call.id) && callState(call) === undefined);
    const waits = message.toolCalls.some((call) => callState(call)?.status === 'waiting');
    if (open.length === 0 || waits) return [message];
    const goesOn = messages.slice(index + 1).some(({ role }) => role === 'user' || role === 'assistant');
    if (!goesOn) {
      const names = open.map(({ id, function: { name } }) => `${id} (${name})`).join(', ');
      throw new HoldpointError('INPUT_INVALID', `The call ${names} has no result.`);
    }
    const standIns = open.map(({ id }): Message => ({
      id: resultMessageId(id),
      role: 'tool',
      toolCallId: id,
      content: ORPHAN_TEXT,
    }));
    return [message, ...standIns];
  });
}

/** The usual case, told without looking further: the results of a message's calls stand right behind it. */
function isAnswered(message: Message, index: number, messages: readonly Message[]): boolean {
  if (message.role !== 'assistant' || message.toolCalls === undefined) return true;
  return message.toolCalls.every((call, place) => {
    const result = messages[index + 1 + place];
    return result?.role === 'tool' && result.toolCallId === call.id;
  });
}
