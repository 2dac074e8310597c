import { HoldpointError, isRecord } from '../../core/index.ts';
import type { InterruptRecord, ThreadRecord, Vault } from '../../ledger/index.ts';
import { isSameAnswer, listQuestions } from '../../ledger/index.ts';
import type { Message, ResumeEntry, RunAgentInput } from '../../protocol/index.ts';
import { UNNAMED_INTERRUPT } from '../../protocol/index.ts';
import { isForeignTurn } from './foreign-turn.ts';
import type { RunRequest } from './run-request.ts';

/** A thread with its conversation and its open questions. */
interface ThreadNow {
  readonly thread: ThreadRecord | undefined;
  readonly known: readonly Message[];
  readonly asked: readonly InterruptRecord[];
}

/**
 * An answer that names no question is for one that its sender has seen: what was sent twice must not answer what was asked
 * since. The sender's conversation shows that, by the call or the message that the question came with. Where it is the same
 * before and after, as with a call that asks twice, the same answer again for the same run is one that came before. Throws
 * `INTERRUPT_UNKNOWN`.
 */
export async function assertSeen(
  request: Pick<RunRequest, 'input' | 'access'>,
  now: ThreadNow,
  vault: Vault | undefined,
): Promise<void> {
  const { input, access } = request;
  const { thread } = now;
  const unnamed = (input.resume ?? []).filter(({ interruptId }) => interruptId === UNNAMED_INTERRUPT);
  if (unnamed.length === 0 || thread?.batch === undefined) return;
  const isUnseen = input.messages.length > 0 && !hasSeen(input, now);
  for (const entry of unnamed) {
    const isLike = (question: InterruptRecord) => input.messages.length === 0 || isOfSameCall(question, now);
    if (!isUnseen && !(await wasGiven({ entry, access, runId: input.runId, isLike }, vault))) continue;
    const sentence =
      'The answer names no question, and whoever sent it has not seen the one that is open: name it by its id.';
    throw new HoldpointError('INTERRUPT_UNKNOWN', sentence, {
      details: { interruptIds: thread.batch.interruptIds },
    });
  }
}

/** Of an agent that keeps its own checkpoint, the last message is what is known to have come before the question. */
function hasSeen({ messages }: RunAgentInput, { thread, known, asked }: ThreadNow): boolean {
  const seen = new Set(messages.flatMap((message) => [message.id, ...callIds(message)]));
  const turn = thread?.turn;
  const last = known.at(-1);
  const before =
    turn === undefined || isForeignTurn(turn) ? last?.id : isRecord(turn) ? turn['id'] : undefined;
  if (before === undefined || (typeof before === 'string' && seen.has(before))) return true;
  return asked.some(
    ({ interrupt }) =>
      seen.has(interrupt.id) || (interrupt.toolCallId !== undefined && seen.has(interrupt.toolCallId)),
  );
}

function isOfSameCall({ interrupt }: InterruptRecord, { asked }: ThreadNow): boolean {
  return asked.some((open) => open.interrupt.toolCallId === interrupt.toolCallId);
}

/** Whether a run of this name has already taken this answer, to another question that looks like the open one from outside. */
async function wasGiven(
  given: {
    readonly entry: ResumeEntry;
    readonly access: RunRequest['access'];
    readonly runId: string;
    readonly isLike: (question: InterruptRecord) => boolean;
  },
  vault: Vault | undefined,
): Promise<boolean> {
  const { entry, access, runId, isLike } = given;
  let cursor: string | undefined;
  do {
    const page = await listQuestions(access, cursor === undefined ? {} : { cursor });
    for (const question of page.questions) {
      if (question.claimedBy !== runId || !isLike(question)) continue;
      if (await isSameAnswer(question, entry, vault)) return true;
    }
    cursor = page.next;
  } while (cursor !== undefined);
  return false;
}

function callIds(message: Message): readonly string[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [];
}
