import type { AgentStreamEvent, FindCall, FunctionDetails, Message } from '../protocol/index.ts';
import { parseArguments } from './json-forms.ts';

/** The calls of a stream; a later interrupt may name one of them. */
export interface CallMemory {
  /** Records the calls of an event. */
  note(event: AgentStreamEvent): void;
  readonly findCall: FindCall;
}

/** Records the calls of one stream, of its snapshots and of its input. A repeated start replaces the call. */
export function createCallMemory(): CallMemory {
  const calls = new Map<string, { name: string; text: string }>();
  const noteMessages = (messages: readonly Message[]) => {
    for (const message of messages) {
      if (message.role !== 'assistant') continue;
      for (const { id, function: called } of message.toolCalls ?? []) {
        calls.set(id, { name: called.name, text: called.arguments });
      }
    }
  };
  return {
    note(event) {
      if (event.type === 'TOOL_CALL_START') {
        calls.set(event.toolCallId, { name: event.toolCallName, text: '' });
      } else if (event.type === 'TOOL_CALL_ARGS') {
        const call = calls.get(event.toolCallId);
        if (call !== undefined) call.text += event.delta;
      } else if (event.type === 'MESSAGES_SNAPSHOT') {
        noteMessages(event.messages);
      } else if (event.type === 'RUN_STARTED') {
        noteMessages(event.input?.messages ?? []);
      }
    },
    findCall(toolCallId): FunctionDetails | undefined {
      const call = calls.get(toolCallId);
      if (call === undefined) return undefined;
      const functionArguments = parseArguments(call.text);
      return functionArguments === undefined
        ? { functionName: call.name }
        : { functionName: call.name, functionArguments };
    },
  };
}
