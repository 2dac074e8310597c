import type { ContentPart, Interrupt, Message } from '../../protocol/index.ts';
import { createChunkWriter } from './chunk-writer.ts';
import type { UiChunk, UiMessage, UiPart, UiToolPart } from './ui-message.ts';
import { replyId } from './ui-message.ts';

/** A thread in the form of the SDK's UI messages, with the open interrupts in the last one. */
export function toUiMessages(messages: readonly Message[], open: readonly Interrupt[]): readonly UiMessage[] {
  const found: UiMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      found.push({ id: message.id, role: 'user', parts: userParts(message.content) });
    } else if (index === 0 || messages[index - 1]?.role === 'user') {
      found.push(replyAfter(messages, index, open));
    }
  }
  const last = messages.at(-1);
  if (open.length > 0 && (last === undefined || last.role === 'user'))
    found.push(replyAfter(messages, messages.length, open));
  return found;
}

/** The messages from an index to the next one of the user, as one message of the assistant. */
function replyAfter(messages: readonly Message[], index: number, open: readonly Interrupt[]): UiMessage {
  const next = messages.findIndex(({ role }, at) => at >= index && role === 'user');
  const reply = messages.slice(index, next === -1 ? undefined : next);
  const id = replyId(messages[index - 1]?.id);
  const writer = createChunkWriter(id);
  const chunks = [
    ...reply.flatMap((message) => writer.message(message)),
    ...(next === -1 ? writer.interrupts(open) : []),
  ];
  return { id, role: 'assistant', parts: assemble(chunks) };
}

/** The parts of a message, from its chunks. */
function assemble(chunks: readonly UiChunk[]): readonly UiPart[] {
  const parts = new Map<unknown, UiPart>();
  const change = (chunk: UiChunk, changed: Partial<UiToolPart>) => {
    const part = parts.get(chunk['toolCallId']);
    if (part !== undefined) parts.set(chunk['toolCallId'], { ...part, ...changed } as UiToolPart);
  };
  for (const chunk of chunks) {
    const { type, id, toolCallId, toolName, input, output, errorText, approvalId, reason } = chunk;
    if (type === 'start-step') parts.set(chunk, { type: 'step-start' });
    else if (type === 'text-delta' || type === 'reasoning-delta')
      parts.set(id, {
        type: type === 'text-delta' ? 'text' : 'reasoning',
        text: String(chunk['delta']),
        state: 'done',
      });
    else if (type === 'tool-input-available')
      parts.set(toolCallId, {
        ...(chunk['dynamic'] === true
          ? { type: 'dynamic-tool', toolName: String(toolName) }
          : { type: `tool-${String(toolName)}` }),
        toolCallId: String(toolCallId),
        state: 'input-available',
        input,
      });
    else if (type === 'tool-approval-request')
      change(chunk, {
        state: 'approval-requested',
        approval: {
          id: String(approvalId),
          ...(reason === undefined ? {} : { requestReason: String(reason) }),
        },
      });
    else if (type === 'tool-output-available') change(chunk, { state: 'output-available', output });
    else if (type === 'tool-output-error')
      change(chunk, { state: 'output-error', errorText: String(errorText) });
  }
  return [...parts.values()];
}

function userParts(content: string | readonly ContentPart[]): readonly UiPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.flatMap((part): UiPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    const { source } = part;
    const mediaType = source.mimeType ?? 'application/octet-stream';
    if (source.type === 'file') return [];
    const url = source.type === 'url' ? source.value : `data:${mediaType};base64,${source.value}`;
    const filename = part.metadata?.['filename'];
    return [{ type: 'file', mediaType, url, ...(typeof filename === 'string' ? { filename } : {}) }];
  });
}
