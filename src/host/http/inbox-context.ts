import type { UnknownRecord } from '../../core/index.ts';
import { defined, isRecord } from '../../core/index.ts';
import type { Access, CallResult, InterruptRecord } from '../../ledger/index.ts';
import { callResultOf, messageText, ownsResult, readLog, readThread } from '../../ledger/index.ts';

/** The newest messages of a thread that are searched for the words before an interrupt. */
const MESSAGES = 200;

/** The words before an interrupt, and what its call returned. */
export interface InterruptContext extends Partial<CallResult> {
  /** What the user asked for and what the agent said next, oldest first. */
  readonly said: readonly { readonly role: string; readonly text: string }[];
}

/**
 * Reads why an interrupt was raised: the last words of the user and of the agent before its call, and the result of the call. A
 * person who may answer the interrupt sees these messages of its thread, and no others. Of a deleted thread only the result is left.
 */
export async function readContext(
  access: Access<'read'>,
  record: InterruptRecord,
): Promise<InterruptContext> {
  const { interrupt, endedAt, threadDeleted } = record;
  if (threadDeleted !== undefined) {
    const { by: _by, at: _at, ...result } = threadDeleted;
    return { said: [], ...outcomeAsRecorded(record, result) };
  }
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
      ownsResult(record) &&
      message['role'] === 'tool' &&
      toolCallId !== undefined &&
      message['toolCallId'] === toolCallId,
  );
  // Without its call, an open interrupt is about the end of the conversation.
  const end = ask >= 0 ? ask + 1 : endedAt === undefined ? messages.length : 0;
  const before = messages.slice(0, end);
  const user = before.findLastIndex(({ role }) => role === 'user');
  const said = before.slice(Math.max(0, user)).flatMap(({ role, content }) => {
    const isSpeech = role === 'user' || role === 'assistant';
    const text = isSpeech ? messageText(content) : '';
    return text === '' ? [] : [{ role: String(role), text }];
  });
  return result === undefined ? { said } : { said, ...outcomeAsRecorded(record, callResultOf(result)) };
}

/** A result with the `failed` of its record. A rejected call and a call in doubt have an error as their result too. */
function outcomeAsRecorded(record: InterruptRecord, result: Partial<CallResult>): Partial<CallResult> {
  // The ledger knows the outcomes of its own calls only.
  if (record.foreign === true) return result;
  const { failed: _failed, ...rest } = result;
  return { ...rest, ...defined({ failed: record.failed }) };
}
