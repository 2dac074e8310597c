import { defined, isRecord, ownMember } from '../core/basics/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { payloadOf } from '../protocol/interrupts/approval/index.ts';
import type { Question } from './chat-content.ts';

type InterruptFields = Omit<Question, 'id' | 'rawRepresentation'>;

/** Reads the shared members of an interrupt. The draft has no message; the prompt in its payload replaces it. */
export function readInterruptFields(interrupt: Interrupt): InterruptFields {
  const { reason, message = promptOf(interrupt), responseSchema, expiresAt } = interrupt;
  return {
    reason,
    ...defined({ message, responseSchema, expiresAt }),
  };
}

/** The interrupt of a request that was not made from one. */
export function newInterrupt(
  { id, message, responseSchema, expiresAt }: Question,
  reason: string,
): Interrupt {
  return {
    id,
    reason,
    ...defined({ message, responseSchema, expiresAt }),
  };
}

function promptOf(interrupt: Interrupt): string | undefined {
  const payload = payloadOf(interrupt);
  const prompt = isRecord(payload) ? ownMember(payload, 'prompt') : undefined;
  return typeof prompt === 'string' ? prompt : undefined;
}
