import { defined, isRecord, ownMember } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { payloadOf } from '../protocol/interrupts/approval.ts';
import { fromDraftInterrupt } from '../protocol/interrupts/draft-interrupt.ts';
import type { RequestBase } from './chat-content.ts';

type InterruptFields = Omit<RequestBase, 'id' | 'rawRepresentation'>;

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
  { id, message, responseSchema, expiresAt }: RequestBase,
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

/**
 * The interrupt in a raw representation: of AG-UI 1.0, or of the draft with `id` and `payload`. Undefined for other values, such
 * as a payload alone.
 */
export function interruptIn(raw: unknown): Interrupt | undefined {
  return draftIn(raw) ?? (isInterrupt(raw) ? raw : undefined);
}

const DRAFT = new Set(['id', 'reason', 'payload']);

/** The interrupt in a raw representation of the draft: with `id` and `payload`, and no member that the draft does not name. */
export function draftIn(raw: unknown): Interrupt | undefined {
  if (!isRecord(raw) || !Object.hasOwn(raw, 'payload')) return undefined;
  const isNamed = isString(ownMember(raw, 'id')) && optional(isString)(ownMember(raw, 'reason'));
  return isNamed && Object.keys(raw).every((key) => DRAFT.has(key)) ? fromDraftInterrupt(raw) : undefined;
}

/** True for an interrupt of AG-UI 1.0. */
export function isInterrupt(raw: unknown): raw is Interrupt {
  if (!isRecord(raw)) return false;
  const has = (key: string, fits: (value: unknown) => boolean) => fits(ownMember(raw, key));
  return (
    has('id', isString) &&
    has('reason', isString) &&
    ['message', 'toolCallId', 'expiresAt', 'subagentRunId'].every((key) => has(key, optional(isString))) &&
    ['responseSchema', 'metadata'].every((key) => has(key, optional(isRecord)))
  );
}

/** True for a `resume` entry. */
export function isResumeEntry(raw: unknown): raw is ResumeEntry {
  if (!isRecord(raw)) return false;
  const status = ownMember(raw, 'status');
  return isString(ownMember(raw, 'interruptId')) && (status === 'resolved' || status === 'cancelled');
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function optional(fits: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || fits(value);
}
