import { defined, isRecord } from '../../core/index.ts';
import type { Transcript } from '../emit-run.ts';
import type { ContentForm } from '../user-content.ts';
import { mediaUrl } from '../user-content.ts';
import type { GraphMessage } from './sdk.ts';

/** How LangChain writes the messages of the user. */
export const FORM: ContentForm<object> = {
  framework: 'LangGraph',
  text: (text) => ({ type: 'text', text }),
  file(media) {
    const { mediaType, filename, content } = media;
    const url = mediaUrl(media);
    const kind = mediaType.split('/')[0];
    if (url === undefined) return undefined;
    if (kind === 'image') return { type: 'image_url', image_url: { url } };
    const source =
      content.type === 'data' ? { source_type: 'base64', data: content.data } : { source_type: 'url', url };
    const metadata = filename === undefined ? undefined : { filename };
    const type = kind === 'audio' ? 'audio' : 'file';
    return { type, ...source, mime_type: mediaType, ...defined({ metadata }) };
  },
};

/** The messages in the values of a graph. */
export function messagesOf(values: unknown): readonly GraphMessage[] {
  return isRecord(values) && Array.isArray(values['messages']) ? values['messages'].filter(isRecord) : [];
}

/** A call in a message. */
type GraphCall = NonNullable<GraphMessage['tool_calls']>[number];

/** The calls of the newest message with calls that have no result. */
export function openCallsIn(values: unknown): readonly GraphCall[] {
  const messages = messagesOf(values);
  const last = messages.findLastIndex(({ tool_calls = [] }) => tool_calls.length > 0);
  const closed = new Set(messages.slice(last + 1).map(({ tool_call_id }) => tool_call_id));
  return (messages[last]?.tool_calls ?? []).filter(({ id }) => !closed.has(id));
}

/** A result for each call that will never have one: models reject a conversation with open calls. */
export function closeCalls(values: unknown, content: string): readonly object[] {
  return openCallsIn(values).map(({ id, name }) => ({ role: 'tool', tool_call_id: id, name, content }));
}

/** The messages of values that earlier values do not have. */
export function newMessages(before: unknown, after: unknown): readonly GraphMessage[] {
  const ids = new Set(messagesOf(before).map(({ id }) => id));
  return messagesOf(after).filter(({ id }) => !ids.has(id));
}

/** The text of a message, without its reasoning. */
export function textIn({ content }: GraphMessage): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('');
}

/** Writes a message, or a piece of one. */
export function writeMessage(transcript: Transcript, message: GraphMessage): void {
  const { id = '', type, content, tool_calls = [], tool_call_chunks = [], tool_call_id } = message;
  if (type === 'tool' && tool_call_id !== undefined) return transcript.result(tool_call_id, content);
  if (type !== 'ai') return;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  for (const block of blocks.filter(isRecord)) {
    if (typeof block['text'] === 'string') transcript.text(id, block['text']);
    const thought = block['reasoning'] ?? block['thinking'];
    if (typeof thought === 'string') transcript.reasoning(id, thought);
  }
  if (tool_call_chunks.length === 0) {
    for (const { id: callId, name, args } of tool_calls) {
      if (callId !== undefined) transcript.wholeCall({ id: callId, name, messageId: id }, args);
    }
  }
  for (const chunk of tool_call_chunks)
    transcript.callPiece(`${id} ${chunk.index ?? 0}`, { ...chunk, messageId: id });
}
