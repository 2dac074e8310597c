import { defined, isRecord, parseJson } from '../../core/index.ts';
import type { ModelRequest } from '../../engine/index.ts';
import type { ContentPart, Message } from '../../protocol/index.ts';
import type { PromptForm } from './file-forms.ts';
import type { ProviderMessage, ProviderReasoningPart, ProviderTextPart } from './provider-prompt.ts';
import { reasoningParts } from './reasoning-blocks.ts';
import { toMedia } from '../to-media.ts';
import { toToolOutput } from './to-tool-output.ts';
import { callOptions } from './turn-note.ts';

/**
 * The conversation as a prompt: instructions first, reasoning inside the message after it, the results of one turn
 * in one message. Activities are left out. Throws `INPUT_INVALID` for an invalid URL.
 */
export function toPrompt<FilePart, ResultPart>(
  { messages, instructions }: Pick<ModelRequest, 'messages' | 'instructions'>,
  form: PromptForm<FilePart, ResultPart>,
): ProviderMessage<FilePart, ResultPart>[] {
  const prompt: ProviderMessage<FilePart, ResultPart>[] = [];
  const toolNames = new Map<string, string>();
  let reasoning: ProviderReasoningPart[] = [];
  if (instructions !== undefined && instructions !== '')
    prompt.push({ role: 'system', content: instructions });
  for (const message of messages) {
    switch (message.role) {
      case 'activity':
        break;
      case 'reasoning':
        reasoning.push(...reasoningParts(message.content, message.encryptedValue));
        break;
      case 'developer':
      case 'system':
        prompt.push({ role: 'system', content: message.content });
        break;
      case 'user': {
        reasoning = [];
        const content = userContent(message.content, form);
        if (content.length > 0) prompt.push({ role: 'user', content });
        break;
      }
      case 'assistant': {
        for (const { id, function: called } of message.toolCalls ?? []) toolNames.set(id, called.name);
        const content = assistantContent(message);
        if (content.length === 0) break;
        prompt.push({ role: 'assistant', content: [...reasoning, ...content] });
        reasoning = [];
        break;
      }
      case 'tool': {
        const toolName = toolNames.get(message.toolCallId);
        // Providers reject a result without its call.
        if (toolName === undefined) break;
        const { toolCallId } = message;
        const output = toToolOutput(message, form);
        const last = prompt.at(-1);
        const results = last?.role === 'tool' ? last.content : [];
        results.push({ type: 'tool-result', toolCallId, toolName, output });
        if (last?.role !== 'tool') prompt.push({ role: 'tool', content: results });
        break;
      }
    }
  }
  return prompt;
}

function userContent<FilePart, ResultPart>(
  content: string | ContentPart[],
  { files, vendor }: PromptForm<FilePart, ResultPart>,
): (ProviderTextPart | FilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((part): (ProviderTextPart | FilePart)[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    const media = toMedia(part, vendor);
    return media === undefined ? [] : [files.filePart(media)];
  });
}

function assistantContent(
  message: Extract<Message, { role: 'assistant' }>,
): Extract<ProviderMessage<never, never>, { role: 'assistant' }>['content'] {
  const { content = '', toolCalls = [] } = message;
  const calls = toolCalls.map((call, index) => {
    const providerOptions = callOptions(message, index);
    return {
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.function.name,
      input: inputOf(call.function.arguments),
      ...defined({ providerOptions }),
    };
  });
  return content === '' ? calls : [{ type: 'text', text: content }, ...calls];
}

/** Parses an input. Some providers accept only objects; a call with another input already has an error result. */
function inputOf(text: string): unknown {
  try {
    const input = parseJson(text);
    return isRecord(input) ? input : {};
  } catch {
    return {};
  }
}
