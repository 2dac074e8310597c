import type { IdGenerator } from '../core/index.ts';
import { defined, HoldpointError, isRecord, newId as defaultNewId, ownMember } from '../core/index.ts';
import type { ContentPart, Message, ToolCall } from '../protocol/index.ts';
import type { ChatContent, FunctionCallContent, MediaContent, TextContent } from './chat-content.ts';
import { jsonText, parseArguments, sameJson } from './json-forms.ts';
import { writeResult } from './result-content.ts';

/** The role of the message. Calls, results and reasoning get their own messages for every role. */
export type ContentRole = Exclude<Message['role'], 'activity'>;

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;
type SpokenRole = 'developer' | 'system' | 'user' | 'assistant';

/**
 * The messages of parts, in order. Text and the calls after it share an assistant message; the text and media of a
 * user share a user message; each result and each reasoning part is its own message. Requests, responses and errors
 * are left out: they travel as interrupts, as `resume` and as RUN_ERROR. Throws `INPUT_INVALID` for media of
 * another role, which AG-UI cannot carry.
 *
 * @example
 * ```ts
 * import { contentsToMessages } from 'holdpoint/content';
 *
 * const messages = contentsToMessages('user', [{ type: 'text', text: 'Hello' }]);
 * ```
 */
export function contentsToMessages(
  role: ContentRole,
  contents: readonly ChatContent[],
  newId: IdGenerator = defaultNewId,
): Message[] {
  const messages: Message[] = [];
  for (const content of contents) {
    switch (content.type) {
      case 'text':
        addText(content, role === 'tool' || role === 'reasoning' ? 'assistant' : role, { messages, newId });
        break;
      case 'image':
      case 'audio':
      case 'video':
      case 'file':
        if (role !== 'user') throw misplaced(content, role);
        addUserPart(content, { messages, newId });
        break;
      case 'functionCall':
        addCall(content, { messages, newId });
        break;
      case 'functionResult': {
        const { callId: toolCallId, error } = content;
        const result = { toolCallId, content: writeResult(content), ...defined({ error }) };
        messages.push({ id: newId(), role: 'tool', ...result });
        break;
      }
      case 'reasoning': {
        const { text, protectedData: encryptedValue } = content;
        messages.push({ id: newId(), role: 'reasoning', content: text, ...defined({ encryptedValue }) });
        break;
      }
      case 'functionApprovalRequest':
      case 'functionApprovalResponse':
      case 'userInputRequest':
      case 'userInputResponse':
      case 'error':
        break;
    }
  }
  return messages;
}

interface Conversation {
  readonly messages: Message[];
  readonly newId: IdGenerator;
}

function addText(content: TextContent, role: SpokenRole, { messages, newId }: Conversation): void {
  const last = messages.at(-1);
  if (role === 'user') {
    addUserPart(content, { messages, newId });
  } else if (last?.role === role && typeof last.content === 'string' && !hasCalls(last)) {
    last.content += content.text;
  } else {
    messages.push({ id: newId(), role, content: content.text });
  }
}

/** A user's text alone is a string, unless it was read from a part; with other parts it is a list. */
function addUserPart(content: TextContent | MediaContent, { messages, newId }: Conversation): void {
  const last = messages.at(-1);
  const part = toPart(content);
  const isBare = part.type === 'text' && part !== content.rawRepresentation;
  if (last?.role === 'user') last.content = [...partsOf(last), part];
  else messages.push({ id: newId(), role: 'user', content: isBare ? part.text : [part] });
}

function partsOf({ content }: UserMessage): ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function addCall(content: FunctionCallContent, { messages, newId }: Conversation): void {
  const last = messages.at(-1);
  const call = toToolCall(content);
  if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call];
  else messages.push({ id: newId(), role: 'assistant', toolCalls: [call] });
}

function toPart(content: TextContent | MediaContent): ContentPart {
  const { rawRepresentation: raw } = content;
  if (content.type === 'text') return kept(raw, { type: 'text', text: content.text });
  const type = content.type === 'file' ? 'document' : content.type;
  return kept(raw, { type, source: content.source });
}

/** The original part, with its id and metadata, if its content is unchanged. */
function kept(raw: unknown, part: ContentPart): ContentPart {
  const isSame = isRecord(raw) && Object.entries(part).every(([key, value]) => ownMember(raw, key) === value);
  // An equal object has every member of a part.
  return isSame ? (raw as ContentPart) : part;
}

/** The original call, if its content is unchanged: its writer may format JSON differently. */
function toToolCall(content: FunctionCallContent): ToolCall {
  const { callId: id, name, arguments: parsed, rawRepresentation: raw } = content;
  const isSame =
    isToolCall(raw) &&
    raw.id === id &&
    raw.function.name === name &&
    sameJson(parseArguments(raw.function.arguments), parsed);
  return isSame ? raw : { id, type: 'function', function: { name, arguments: jsonText(parsed) } };
}

function isToolCall(raw: unknown): raw is ToolCall {
  if (!isRecord(raw) || ownMember(raw, 'type') !== 'function') return false;
  const details = ownMember(raw, 'function');
  return isRecord(details) && typeof ownMember(details, 'arguments') === 'string';
}

function hasCalls(message: AssistantMessage | { role: 'developer' | 'system' }): boolean {
  return message.role === 'assistant' && message.toolCalls !== undefined;
}

function misplaced({ type }: MediaContent, role: ContentRole): HoldpointError {
  return new HoldpointError(
    'INPUT_INVALID',
    `A message of the role ${role} cannot carry a part of type ${type}. Send it in a user message.`,
  );
}
