import { isRecord, ownMember } from '../core/basics/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { payloadOf } from '../protocol/interrupts/approval/index.ts';
import type { Question } from './chat-content.ts';

type QuestionFields = Omit<Question, 'id' | 'rawRepresentation'>;

/** What an interrupt tells a user interface. The draft has no message; the prompt in its payload is one. */
export function readQuestion(interrupt: Interrupt): QuestionFields {
  const { reason, message = promptOf(interrupt), responseSchema, expiresAt } = interrupt;
  return {
    reason,
    ...(message === undefined ? {} : { message }),
    ...(responseSchema === undefined ? {} : { responseSchema }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** The interrupt for a question that was not made from one. */
export function writeQuestion(
  { id, message, responseSchema, expiresAt }: Question,
  reason: string,
): Interrupt {
  return {
    id,
    reason,
    ...(message === undefined ? {} : { message }),
    ...(responseSchema === undefined ? {} : { responseSchema }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function promptOf(interrupt: Interrupt): string | undefined {
  const payload = payloadOf(interrupt);
  const prompt = isRecord(payload) ? ownMember(payload, 'prompt') : undefined;
  return typeof prompt === 'string' ? prompt : undefined;
}
