import { defined } from '../../core/index.ts';
import type { ContentPart, Interrupt, Message } from '../../protocol/index.ts';
import { createChunkWriter } from './chunk-writer.ts';
import type { UiChunk, UiMessage, UiPart, UiToolChunk, UiToolPart } from './ui-message.ts';
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
  for (const chunk of chunks) {
    if (chunk.type === 'start-step') parts.set(chunk, { type: 'step-start' });
    else if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta')
      parts.set(chunk.id, {
        type: chunk.type === 'text-delta' ? 'text' : 'reasoning',
        text: chunk.delta,
        state: 'done',
      });
    else if ('toolCallId' in chunk) {
      const changed = changeOf(chunk);
      const part = parts.get(chunk.toolCallId);
      // The first chunk of a call has its name and its input.
      if (changed !== undefined) parts.set(chunk.toolCallId, { ...part, ...changed } as UiToolPart);
    }
  }
  return [...parts.values()];
}

/** What a chunk changes of the part of its call. */
function changeOf(chunk: UiToolChunk): Partial<UiToolPart> | undefined {
  switch (chunk.type) {
    case 'tool-input-available': {
      const { toolCallId, toolName, input } = chunk;
      const call = { toolCallId, state: 'input-available', input } as const;
      if (chunk.dynamic === true) return { type: 'dynamic-tool', toolName, ...call };
      return { type: `tool-${toolName}`, ...call };
    }
    case 'tool-approval-request':
      return {
        state: 'approval-requested',
        approval: { id: chunk.approvalId, ...defined({ requestReason: chunk.reason }) },
      };
    case 'tool-output-available':
      return { state: 'output-available', output: chunk.output };
    case 'tool-output-error':
      return { state: 'output-error', errorText: chunk.errorText };
    default:
      return undefined;
  }
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
