import { assertAnswer, INTERRUPT_KINDS } from '../../content/interrupts/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { PendingQuestion } from '../calls/call-state.ts';
import type { RunSecrets } from '../calls/run-secrets.ts';
import type { Reply } from '../tools/tool-replies.ts';
import type { OpenTurn } from './open-turn.ts';
import { openQuestions } from './open-turn.ts';

/**
 * Matches answers with the questions of a turn and checks all of them before anything is done. Throws
 * `INTERRUPT_UNKNOWN`, `INTERRUPTS_UNANSWERED`, `ANSWER_INVALID`, or `INPUT_INVALID` for two answers to one
 * question.
 */
export function matchReplies(
  turn: OpenTurn,
  replies: readonly (Reply | ResumeEntry)[],
  secrets: RunSecrets | undefined,
): Map<string, Reply> {
  const parts = new Map(openQuestions(turn).map((part) => [part.interrupt.id, part]));
  const matched = new Map<string, Reply>();
  for (const given of replies) {
    const part = parts.get(given.interruptId);
    if (part === undefined) {
      throw new HoldpointError('INTERRUPT_UNKNOWN', `No open question has the id ${given.interruptId}.`);
    }
    if (matched.has(given.interruptId)) {
      throw new HoldpointError('INPUT_INVALID', `The question ${given.interruptId} was answered twice.`);
    }
    const reply = toReply(given, part);
    if (reply.status === 'resolved') {
      assertMethod(reply, part);
      const payload = secrets === undefined ? reply.payload : secrets.open(reply.payload);
      assertAnswer(part.interrupt, { ...reply, payload });
    }
    matched.set(given.interruptId, reply);
  }
  const missing = [...parts.values()].filter(({ interrupt }) => !matched.has(interrupt.id));
  if (missing.length > 0) {
    const names = missing.map(({ toolName, interrupt }) => `${interrupt.id} (${toolName})`).join(', ');
    throw new HoldpointError('INTERRUPTS_UNANSWERED', `There is no answer to ${names}.`);
  }
  return matched;
}

/** An entry off the wire says nothing of its method: the record of the question does. */
function toReply(given: Reply | ResumeEntry, part: Pick<PendingQuestion, 'kind'>): Reply {
  if ('method' in given) return given;
  const [method = 'cancel'] = INTERRUPT_KINDS[part.kind].methods;
  return { ...given, method };
}

function assertMethod(
  reply: Reply,
  part: { readonly kind: PendingQuestion['kind']; readonly toolName: string },
): void {
  const { methods } = INTERRUPT_KINDS[part.kind];
  if (!methods.includes(reply.method)) {
    throw new HoldpointError(
      'ANSWER_INVALID',
      `The question ${reply.interruptId} is answered with ${methods.join(' or ')}, not with ${reply.method}.`,
    );
  }
  if (reply.toolName !== undefined && reply.toolName !== part.toolName) {
    throw new HoldpointError(
      'ANSWER_INVALID',
      `The question ${reply.interruptId} was asked by ${part.toolName}, not by ${reply.toolName}.`,
    );
  }
}
