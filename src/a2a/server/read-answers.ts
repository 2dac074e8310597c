import type { Message } from '@a2a-js/sdk';
import { checkAnswer, isApprovable } from '../../content/questions/index.ts';
import { digestJson, HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { fromValues } from '../fields.ts';
import { responsesIn } from '../input-parts.ts';
import { textOf } from '../parts.ts';

const SHORT = 16;

/** A question's name on the outside: always the same for it, and not its id. */
export async function requestIdOf(interruptId: string): Promise<string> {
  return digestJson(interruptId).slice(0, SHORT);
}

export type ReadAnswers =
  | { readonly type: 'answers'; readonly entries: readonly ResumeEntry[] }
  /** Sentences that say what is wrong; nothing may be done then. */
  | { readonly type: 'wrong'; readonly sentences: readonly string[] };

/** The answers that a message gives to open questions: all of them, each valid, or none. */
export async function readAnswers(message: Message, open: readonly Interrupt[]): Promise<ReadAnswers> {
  const responses = responsesIn(message.parts);
  const text = textOf(message.parts);
  const [only] = open;
  const sentences: string[] = [];
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
        sentences.push(messageOf(error));
      }
    } else {
      sentences.push(`There is no answer to ${requestId}: ${interrupt.message ?? 'the question'}`);
    }
  }
  for (const entry of entries) {
    const interrupt = open.find(({ id }) => id === entry.interruptId);
    if (interrupt === undefined) continue;
    for (const { pointer, message: wrong } of checkAnswer(interrupt, entry)) {
      sentences.push(pointer === '' ? wrong : `${pointer}: ${wrong}`);
    }
  }
  return sentences.length > 0 ? { type: 'wrong', sentences } : { type: 'answers', entries };
}

/**
 * Words as the answer they fit: the one text that is asked for, or JSON. Words never approve anything. Throws
 * `INPUT_INVALID` for JSON that has a member twice.
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
