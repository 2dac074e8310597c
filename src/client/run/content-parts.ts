import type { ChatContent, CustomRequest, CustomResponse, ResponseContent } from '../../content/index.ts';
import { contentsToMessages } from '../../content/contents-to-messages.ts';
import { contentsToResume } from '../../content/built-in-kinds.ts';
import { createContentReader } from '../../content/content-reader.ts';
import { defined, invalidInput, isRecord, jsonOrText } from '../../core/index.ts';
import type { AgentStreamEvent, FindCall, Message, ResumeEntry } from '../../protocol/index.ts';
import type { Session } from '../session.ts';
import { wireEventOf } from '../stream/frame-decoder.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import type { MessageInput, RunUpdate } from './run.ts';

// One dynamic import: a bundler makes a file for each.
export { runTools } from './run-tools.ts';

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
    const update = { ...reader.read(event), event, rawRepresentation: wireEventOf(event) };
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
    return text === '' ? { functionName } : { functionName, functionArguments: jsonOrText(text) };
  }
  return undefined;
}

/** The messages of content parts, and the answers among the parts, which travel in `resume`. */
export function readContents<Request extends CustomRequest, Response extends CustomResponse>(
  { role, contents }: Extract<MessageInput<Response>, { readonly contents: unknown }>,
  session: Session<Request, Response>,
  thread: ThreadStore,
): { readonly messages: readonly Message[]; readonly resume: readonly ResumeEntry[] } {
  return {
    messages: contentsToMessages(role, contents as readonly ChatContent[], session.newId),
    resume: contentsToResume(contents, thread.open, session.registry),
  };
}

/** The `resume` entries of a response part. Throws `INPUT_INVALID` for any other value. */
export function readResponse<Request extends CustomRequest, Response extends CustomResponse>(
  response: ResponseContent | Response,
  { registry }: Session<Request, Response>,
  { open }: ThreadStore,
): readonly ResumeEntry[] {
  const entries = isRecord(response) ? contentsToResume([response], open, registry) : [];
  if (entries.length > 0) return entries;
  const message = 'expected the result of approve(), reject(), answer() or cancel(), or a response part';
  throw invalidInput('run input', [{ pointer: '/resume', message }]);
}
