import type { ChatContent, CustomRequest, CustomResponse } from '../../content/index.ts';
import { contentsToMessages } from '../../content/contents-to-messages.ts';
import { contentsToResume } from '../../content/built-in-kinds.ts';
import { createContentReader } from '../../content/content-reader.ts';
import type { UnknownRecord } from '../../core/index.ts';
import { defined, invalidInput, isRecord, jsonOrText } from '../../core/index.ts';
import type { AgentStreamEvent, FindCall, Message, ResumeEntry, WireEvent } from '../../protocol/index.ts';
import type { Session } from '../session.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import type { AnswerInput, DraftAnswer, MessageInput, RunUpdate } from './run.ts';

// One dynamic import: a bundler makes a file for each.
export { runTools } from './run-tools.ts';

/** Turns the events of a stream into updates with content parts. */
export function createUpdateReader<Request extends CustomRequest, Response extends CustomResponse>(
  session: Session<Request, Response>,
  thread: ThreadStore,
  /** The readers of other dialects: once they are loaded, they know what came over the wire. */
  forms: { readonly loaded: { wireEventOf(event: AgentStreamEvent): WireEvent } | undefined },
): (event: AgentStreamEvent) => RunUpdate<Request> {
  const { registry, newId } = session;
  const reader = createContentReader<Request, Response>({
    findCall: (toolCallId) => findCall(toolCallId, thread.messages),
    newId,
    ...defined({ registry }),
  });
  return (event) => {
    const rawRepresentation = forms.loaded?.wireEventOf(event) ?? event;
    const update = { ...reader.read(event), event, rawRepresentation };
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

/** The `resume` entries of an answer of the draft, or of a response part. Throws `INPUT_INVALID` for any other value. */
export function readResponse<Request extends CustomRequest, Response extends CustomResponse>(
  response: AnswerInput<Response>,
  { registry }: Session<Request, Response>,
  { open, threadId }: ThreadStore,
): readonly ResumeEntry[] {
  if (isEntry(response)) return [toEntry(response, threadId)];
  const entries = isRecord(response) ? contentsToResume([response], open, registry) : [];
  if (entries.length > 0) return entries;
  const message = 'expected the result of approve(), reject(), answer() or cancel(), or a response part';
  throw invalidInput('run input', [{ pointer: '/resume', message }]);
}

/** True for an answer of a protocol; content parts have a type. */
function isEntry(answer: unknown): answer is ResumeEntry | DraftAnswer {
  return isRecord(answer) && !('type' in answer);
}

/** An answer of the draft as an entry. Throws `INPUT_INVALID` and names the member that is missing or wrong. */
function toEntry(answer: ResumeEntry | DraftAnswer, threadId: string): ResumeEntry {
  const { interruptId, threadId: named = threadId, ...rest }: UnknownRecord = { ...answer };
  const problem = (member: string, message: string) =>
    invalidInput('run input', [{ pointer: `/resume/${member}`, message }]);
  if (typeof interruptId !== 'string') throw problem('interruptId', 'expected the id of the interrupt');
  if (named !== threadId) throw problem('threadId', `expected ${JSON.stringify(threadId)} or nothing`);
  return { ...rest, interruptId, status: 'resolved' };
}
