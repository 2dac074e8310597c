import { HoldpointError, isRecord } from '../../core/index.ts';
import type { UnknownRecord } from '../../core/index.ts';
import type { ContentPart, Interrupt, Message, ResumeEntry } from '../../protocol/index.ts';
import { callIdOf, shownAs } from './ui-message.ts';

/** A request of `useChat`. */
export interface ChatRequest {
  /** The id of the chat: that of the thread. */
  readonly id: string;
  /** The messages of the user; those of the assistant are the client's copy, and are not read as messages. */
  readonly said: readonly Message[];
  /** The message of the assistant that the response continues. */
  readonly continues: ContinuedMessage | undefined;
  /** The calls in all messages of the assistant. */
  readonly calls: ReadonlyMap<string, ChatCall>;
  /** Whether the client wants another reply to the last message of the user, or has changed that message. */
  readonly replaces: 'reply' | 'message' | undefined;
}

export interface ContinuedMessage {
  readonly id: string;
  readonly calls: ReadonlyMap<string, ChatCall>;
}

/** A call in the client's copy of the conversation. */
export interface ChatCall {
  readonly state: unknown;
  readonly output: unknown;
  readonly approval: UnknownRecord | undefined;
}

/** Reads a request of `useChat`. Throws `INPUT_INVALID`. */
export function readChat(body: unknown): ChatRequest {
  if (!isRecord(body) || typeof body['id'] !== 'string' || !Array.isArray(body['messages'])) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'Expected the body of useChat: `id`, the id of the chat, and `messages`.',
    );
  }
  const { id, messages, messageId, trigger } = body;
  const all = messages.map(readMessage);
  const last = all.find((message) => message.role === 'assistant' && message.id === messageId) ?? all.at(-1);
  return {
    id,
    said: all.flatMap(({ role, id: said, parts }): Message[] =>
      role === 'user' ? [{ id: said, role, content: readContent(parts) }] : [],
    ),
    continues: last?.role === 'assistant' ? { id: last.id, calls: callsIn([last]) } : undefined,
    calls: callsIn(all),
    replaces:
      trigger === 'regenerate-message'
        ? 'reply'
        : last?.role === 'user' && last.id === messageId
          ? 'message'
          : undefined,
  };
}

interface ReadMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly UnknownRecord[];
}

function readMessage(message: unknown, index: number): ReadMessage {
  if (!isRecord(message) || typeof message['id'] !== 'string' || !Array.isArray(message['parts'])) {
    throw new HoldpointError('INPUT_INVALID', `messages[${index}] is no UI message: it needs id and parts.`);
  }
  const { id, role, parts } = message;
  return { id, role: String(role), parts: parts.filter(isRecord) };
}

/** The content of a message of the user: its text, or its parts if it has files. */
function readContent(parts: readonly UnknownRecord[]): string | ContentPart[] {
  const content = parts.flatMap((part): ContentPart[] => {
    if (part['type'] === 'text' && typeof part['text'] === 'string')
      return [{ type: 'text', text: part['text'] }];
    return part['type'] === 'file' ? [readFile(part)] : [];
  });
  if (content.every(({ type }) => type === 'text')) {
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  }
  return content;
}

function readFile({ mediaType, url, filename }: UnknownRecord): ContentPart {
  if (typeof mediaType !== 'string' || typeof url !== 'string') {
    throw new HoldpointError('INPUT_INVALID', 'A file part needs mediaType and url.');
  }
  const [kind] = mediaType.split('/');
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  const source =
    data === undefined
      ? { type: 'url' as const, value: url, mimeType: mediaType }
      : { type: 'data' as const, value: data, mimeType: mediaType };
  return { type, source, ...(typeof filename === 'string' ? { metadata: { filename } } : {}) };
}

function callsIn(messages: readonly ReadMessage[]): ReadonlyMap<string, ChatCall> {
  const calls = new Map<string, ChatCall>();
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue;
    for (const { toolCallId, state, output, approval } of parts) {
      if (typeof toolCallId !== 'string') continue;
      calls.set(toolCallId, { state, output, approval: isRecord(approval) ? approval : undefined });
    }
  }
  return calls;
}

/**
 * The answers in a request: a decision names its interrupt, and an output names the call that stands for one. Outputs for other
 * calls are ignored. `open`: the open interrupts of the thread. A decision about another interrupt is an answer only in the last
 * message, so that a late click learns what happened.
 */
export function answersIn({ calls, continues }: ChatRequest, open: readonly Interrupt[]): ResumeEntry[] {
  const answers: ResumeEntry[] = [];
  const isOpen = new Set(open.map(({ id }) => id));
  for (const [callId, { state, approval }] of calls) {
    const { id: interruptId, approved, reason } = approval ?? {};
    if (state !== 'approval-responded' || typeof interruptId !== 'string') continue;
    if (!isOpen.has(interruptId) && continues?.calls.has(callId) !== true) continue;
    const payload = { approved, ...(typeof reason === 'string' ? { reason } : {}) };
    answers.push({ interruptId, status: 'resolved', payload });
  }
  const shown = shownAs(open);
  for (const interrupt of open) {
    const how = shown.get(interrupt.id);
    const call = calls.get(callIdOf(interrupt, how));
    if (how === 'approval' || call?.state !== 'output-available') continue;
    answers.push({ interruptId: interrupt.id, status: 'resolved', payload: call.output });
  }
  return answers;
}
