import { defined } from '../core/index.ts';
import type { ContentPart, Message, ToolCall } from '../protocol/index.ts';
import type { ChatContent, FunctionCallContent } from './chat-content.ts';
import { parseArguments } from './json-forms.ts';
import { readResult } from './result-content.ts';

/**
 * The parts of a message; the `rawRepresentation` of each is the message, part or call it was made from. An
 * activity has no parts. The id, name and metadata of the message are not in the parts.
 *
 * @example
 * ```ts
 * import { messageToContents } from 'holdpoint/content';
 *
 * const parts = messageToContents({ id: 'm1', role: 'user', content: 'Hello' });
 * ```
 */
export function messageToContents(message: Message): ChatContent[] {
  switch (message.role) {
    case 'developer':
    case 'system':
      return [{ type: 'text', text: message.content, rawRepresentation: message }];
    case 'user':
      return typeof message.content === 'string'
        ? [{ type: 'text', text: message.content, rawRepresentation: message }]
        : message.content.map(fromPart);
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const text =
        content === undefined ? [] : [{ type: 'text' as const, text: content, rawRepresentation: message }];
      return [...text, ...toolCalls.map(fromToolCall)];
    }
    case 'tool':
      return [
        {
          type: 'functionResult',
          callId: message.toolCallId,
          result: readResult(message.content),
          ...defined({ error: message.error }),
          rawRepresentation: message,
        },
      ];
    case 'reasoning':
      return [
        {
          type: 'reasoning',
          text: message.content,
          ...defined({ protectedData: message.encryptedValue }),
          rawRepresentation: message,
        },
      ];
    case 'activity':
      return [];
  }
}

function fromPart(part: ContentPart): ChatContent {
  if (part.type === 'text') return { type: 'text', text: part.text, rawRepresentation: part };
  const type = part.type === 'document' ? 'file' : part.type;
  return { type, source: part.source, rawRepresentation: part };
}

function fromToolCall(call: ToolCall): FunctionCallContent {
  const { name, arguments: text } = call.function;
  const parsed = parseArguments(text);
  return {
    type: 'functionCall',
    callId: call.id,
    name,
    ...defined({ arguments: parsed }),
    rawRepresentation: call,
  };
}
