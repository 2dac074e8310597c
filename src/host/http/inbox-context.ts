import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { Access, InterruptRecord } from '../../ledger/index.ts';
import { readLog, readThread } from '../../ledger/index.ts';

/** The newest messages of a thread that are searched for the words before an interrupt. */
const MESSAGES = 200;

/** The words before an interrupt, and what its call returned. */
export interface InterruptContext {
  /** What the user asked for and what the agent said next, oldest first. */
  readonly said: readonly { readonly role: string; readonly text: string }[];
  readonly result?: string;
  /** The tool's texts for the result: a text, or texts by the names of members. */
  readonly display?: unknown;
  /** True when the call failed: the result is its error. */
  readonly failed?: true;
}

/**
 * Reads why an interrupt was raised: the last words of the user and of the agent before its call, and the result of the call. A
 * person who may answer the interrupt sees these messages of its thread, and no others.
 */
export async function readContext(
  access: Access<'read'>,
  { interrupt, endedAt }: InterruptRecord,
): Promise<InterruptContext> {
  const { logs: { messages: last } = { messages: 0 }, importedThrough = 0 } =
    (await readThread(access)) ?? {};
  const after = Math.max(0, last - MESSAGES);
  const items = await readLog(access, { log: 'messages', after, limit: MESSAGES });
  const messages: readonly UnknownRecord[] = items.flatMap(({ item, sequence }) =>
    // A client may write anything in the name of the agent.
    isRecord(item) && (sequence > importedThrough || item['role'] === 'user') ? [item] : [],
  );
  const { toolCallId } = interrupt;
  const ask = messages.findLastIndex(({ toolCalls }) =>
    Array.isArray(toolCalls) ? toolCalls.some((call) => isRecord(call) && call['id'] === toolCallId) : false,
  );
  const result = messages.findLast(
    (message) =>
      message['role'] === 'tool' && toolCallId !== undefined && message['toolCallId'] === toolCallId,
  );
  // Without its call, an open interrupt is about the end of the conversation.
  const end = ask >= 0 ? ask + 1 : endedAt === undefined ? messages.length : 0;
  const before = messages.slice(0, end);
  const user = before.findLastIndex(({ role }) => role === 'user');
  const said = before.slice(Math.max(0, user)).flatMap(({ role, content }) => {
    const isSpeech = role === 'user' || role === 'assistant';
    const text = isSpeech ? textOf(content) : '';
    return text === '' ? [] : [{ role: String(role), text }];
  });
  if (result === undefined) return { said };
  const failed = typeof result['error'] === 'string' ? true : undefined;
  const texts = isRecord(result['metadata']) ? result['metadata']['display'] : undefined;
  const display = isRecord(texts) ? texts['output'] : undefined;
  return { said, result: textOf(result['content']), ...defined({ display, failed }) };
}

/** Characters of a message that are shown. */
const LONGEST = 4000;

function textOf(content: unknown): string {
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content
            .flatMap((part) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
            .join('\n')
        : '';
  return text.slice(0, LONGEST);
}
