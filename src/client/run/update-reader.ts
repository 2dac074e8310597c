import { defined } from '../../core/basics/index.ts';
import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { createContentReader } from '../../content/reading/index.ts';
import { parseJson } from '../../core/json/index.ts';
import type { AgentStreamEvent, FindCall, Message } from '../../protocol/index.ts';
import type { RunUpdate } from '../run/run.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';

/** Turns the events of a stream into updates with content parts. */
export function createUpdateReader<Request extends CustomRequest, Response extends CustomResponse>(
  session: Session<Request, Response>,
  thread: ThreadStore,
): (event: AgentStreamEvent) => RunUpdate<Request> {
  const { registry, newId } = session;
  const reader = createContentReader<Request, Response>({
    findCall: (toolCallId) => findCall(toolCallId, thread.messages),
    newId,
    ...defined({ registry }),
  });
  return (event) => {
    const update = reader.read(event);
    switch (event.type) {
      case 'STATE_SNAPSHOT':
      case 'STATE_DELTA':
        return { ...update, state: thread.state };
      case 'ACTIVITY_SNAPSHOT':
      case 'ACTIVITY_DELTA': {
        const activity = thread.messages.find(({ id }) => id === event.messageId);
        return activity?.role === 'activity' ? { ...update, activity } : update;
      }
      default:
        return update;
    }
  };
}

/** A tool call of an earlier run that an interrupt refers to. */
function findCall(toolCallId: string, messages: readonly Message[]): ReturnType<FindCall> {
  for (const message of messages) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    const call = calls.find(({ id }) => id === toolCallId);
    if (call === undefined) continue;
    const { name: functionName, arguments: text } = call.function;
    try {
      return { functionName, functionArguments: parseJson(text) };
    } catch {
      return text === '' ? { functionName } : { functionName, functionArguments: text };
    }
  }
  return undefined;
}
