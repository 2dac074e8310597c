import type { Message } from '@a2a-js/sdk';
import { checkAnswer, schemaOfAnswer } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import {
  defined,
  digestJson,
  HoldpointError,
  isRecord,
  messageOf,
  parseUniqueJson,
} from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import { fromFunctionResponse, functionResponsesIn } from '../dialects/adk-dialect.ts';
import { fromValues, isObjectSchema } from '../fields.ts';
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

/**
 * Reads the answers to the open interrupts from a message. Rejects the whole message unless it answers all of them validly. An answer
 * names its request. An answer without a name, such as a plain data part or a text, goes to the only open interrupt.
 */
export async function readAnswers(message: Message, open: readonly Interrupt[]): Promise<ReadAnswers> {
  const answers = answersIn(message);
  const problems: string[] = [];
  const entries: ResumeEntry[] = [];
  for (const interrupt of open) {
    const requestId = await requestIdOf(interrupt.id);
    const answer =
      answers.find((one) => one.requestId === requestId) ??
      (open.length === 1 ? answers.find((one) => one.requestId === undefined) : undefined);
    if (answer === undefined) {
      const subject = interrupt.message === undefined ? '.' : `: ${interrupt.message}`;
      problems.push(`The message has no answer to the request ${requestId}${subject}`);
      continue;
    }
    try {
      const form = answer.as === undefined ? {} : { metadata: { as: answer.as } };
      const entry: ResumeEntry = {
        interruptId: interrupt.id,
        ...(answer.isCancelled
          ? { status: 'cancelled' as const, ...reasonOf(answer) }
          : {
              status: 'resolved' as const,
              payload: answer.payloadFor(schemaOfAnswer(interrupt, form)),
              ...form,
            }),
      };
      entries.push(entry);
      for (const { pointer, message: problem } of checkAnswer(interrupt, entry))
        problems.push(pointer === '' ? problem : `${pointer}: ${problem}`);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return problems.length > 0 ? { type: 'rejected', problems } : { type: 'answers', entries };
}

/** One answer in a message. */
interface GivenAnswer {
  /** The request that the answer names. */
  readonly requestId?: string;
  readonly isCancelled?: boolean;
  /** The reason of a cancellation. */
  readonly reason?: unknown;
  /** The form of the answer, `metadata.as`. */
  readonly as?: unknown;
  /** The payload by the schema of the answer. Throws `INPUT_INVALID` for JSON with a duplicate member. */
  payloadFor(schema: Interrupt['responseSchema']): unknown;
}

function reasonOf({ reason }: GivenAnswer): Pick<ResumeEntry, 'metadata'> {
  return typeof reason === 'string' ? { metadata: { reason } } : {};
}

/** The answers of a message in the first form that it has: input responses and function responses, a data part, a text. */
function answersIn({ parts }: Message): readonly GivenAnswer[] {
  const named: GivenAnswer[] = [
    ...responsesIn(parts).map(({ requestId, values, metadata }) => ({
      ...defined({ requestId, as: metadata?.['as'] }),
      isCancelled: metadata?.['cancelled'] === true,
      reason: metadata?.['reason'],
      payloadFor: (schema: unknown) => fromValues(schema, values),
    })),
    ...functionResponsesIn(parts).map((response) => ({
      requestId: response.id,
      payloadFor: (schema: unknown) => fromFunctionResponse(schema, response),
    })),
  ];
  if (named.length > 0) return named;
  const data = parts.find(({ content }) => content?.$case === 'data')?.content?.value;
  if (data !== undefined) return [{ payloadFor: (schema) => fromData(schema, data) }];
  const text = textOf(parts);
  return text === '' ? [] : [{ payloadFor: (schema) => fromText(schema, text) }];
}

/** The payload of a data part: the data itself, or its `value` where the schema takes no object. */
function fromData(schema: unknown, data: unknown): unknown {
  const isValue = isRecord(data) && Object.keys(data).length === 1 && 'value' in data;
  return isValue && schema !== undefined && !isObjectSchema(schema) ? data['value'] : data;
}

/**
 * The payload of a text: its JSON where the schema takes an object, and else the text itself where the schema takes a string. A text
 * that is not JSON never approves.
 */
function fromText(schema: Interrupt['responseSchema'], text: string): unknown {
  if (schema === undefined || schema['type'] === 'string') return text;
  if (isObjectSchema(schema)) {
    const value = jsonObjectIn(text);
    if (value !== undefined) return value;
    const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
    const [first] = properties;
    const isText = first !== undefined && isRecord(first[1]) && first[1]['type'] === 'string';
    return isText && properties.length === 1 ? { [first[0]]: text } : text;
  }
  return parsed(text) ?? text;
}

/** The object of a JSON text; undefined for other text. Throws `INPUT_INVALID` for a duplicate member. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  const value = parsed(text);
  return isRecord(value) ? (value as JsonObject) : undefined;
}

function parsed(text: string): unknown {
  try {
    return parseUniqueJson(text);
  } catch (error) {
    if (HoldpointError.is(error) && error.cause instanceof SyntaxError) return undefined;
    throw error;
  }
}
