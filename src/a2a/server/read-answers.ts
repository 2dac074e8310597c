import type { Message } from '@a2a-js/sdk';
import { checkAnswer, isApprovable } from '../../content/interrupts/index.ts';
import { digestJson, HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { fromValues } from '../fields.ts';
import { responsesIn, textOf } from '../parts.ts';

const REQUEST_ID_LENGTH = 16;

/** The request id of an interrupt: derived from the interrupt id, without showing it. */
export async function requestIdOf(interruptId: string): Promise<string> {
  return digestJson(interruptId).slice(0, REQUEST_ID_LENGTH);
}

export type ReadAnswers =
  | { readonly type: 'answers'; readonly entries: readonly ResumeEntry[] }
  /** At least one answer is missing or invalid; the problems are sentences for the caller. */
  | { readonly type: 'rejected'; readonly problems: readonly string[] };

/** Reads the answers to the open interrupts from a message. Rejects the whole message unless it answers all of them validly. */
export async function readAnswers(message: Message, open: readonly Interrupt[]): Promise<ReadAnswers> {
  const responses = responsesIn(message.parts);
  const text = textOf(message.parts);
  const [only] = open;
  const problems: string[] = [];
  const entries: ResumeEntry[] = [];
  for (const interrupt of open) {
    const requestId = await requestIdOf(interrupt.id);
    const isOnly = open.length === 1;
    const response =
      responses.find((one) => one.requestId === requestId) ??
      (isOnly && responses[0]?.requestId === undefined ? responses[0] : undefined);
    if (response !== undefined) {
      const isCancelled = response.metadata?.['cancelled'] === true;
      entries.push({
        interruptId: interrupt.id,
        ...(isCancelled
          ? { status: 'cancelled' as const }
          : { status: 'resolved' as const, payload: fromValues(interrupt.responseSchema, response.values) }),
      });
    } else if (interrupt === only && isOnly && responses.length === 0 && text !== '') {
      try {
        entries.push({ interruptId: interrupt.id, status: 'resolved', payload: fromText(interrupt, text) });
      } catch (error) {
        problems.push(messageOf(error));
      }
    } else {
      const subject = interrupt.message === undefined ? '.' : `: ${interrupt.message}`;
      problems.push(`The message has no answer to the request ${requestId}${subject}`);
    }
  }
  for (const entry of entries) {
    const interrupt = open.find(({ id }) => id === entry.interruptId);
    if (interrupt === undefined) continue;
    for (const { pointer, message: problem } of checkAnswer(interrupt, entry)) {
      problems.push(pointer === '' ? problem : `${pointer}: ${problem}`);
    }
  }
  return problems.length > 0 ? { type: 'rejected', problems } : { type: 'answers', entries };
}

/**
 * The payload for an answer in text: the text itself where the schema takes one string, else its JSON value. A text never approves.
 * Throws `INPUT_INVALID` for JSON that has a member twice.
 */
function fromText(interrupt: Interrupt, text: string): unknown {
  const { responseSchema } = interrupt;
  if (responseSchema === undefined || responseSchema['type'] === 'string') return text;
  const properties = isRecord(responseSchema['properties'])
    ? Object.entries(responseSchema['properties'])
    : [];
  const [first] = properties;
  if (first !== undefined && properties.length === 1 && isRecord(first[1]) && first[1]['type'] === 'string') {
    return { [first[0]]: text };
  }
  if (isApprovable(interrupt)) return text;
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (HoldpointError.is(error) && error.cause instanceof SyntaxError) return text;
    throw error;
  }
}
