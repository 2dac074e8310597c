import type { Message, Part } from '@a2a-js/sdk';
import { a2aMessage, textPart } from '../parts.ts';
import { adkDialect } from './adk-dialect.ts';
import { inputRequestDialect } from './input-request-dialect.ts';
import { mastraDialect } from './mastra-dialect.ts';
import type { AskedRequest, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** Reads any message, also one without parts, as a request for a text. */
const textDialect: RequestDialect = {
  name: 'text',
  read: () => [{ request: {}, responseSchema: { type: 'string' } }],
  write: (answers) =>
    answers.map((answer) => {
      if (answer.status === 'cancelled') return textPart(answer.reason ?? '');
      const payload = payloadOf(answer);
      return textPart(typeof payload === 'string' ? payload : JSON.stringify(payload));
    }),
};

/** The answer to `auth-required` without a form: a message for the agent, or null if the agent goes on by itself. */
const authDialect: RequestDialect = {
  name: 'auth',
  read: () => [
    {
      request: {},
      responseSchema: {
        type: ['string', 'null'],
        title: 'Message to the agent',
        description: 'Only if the agent waits for one. Do not enter passwords or tokens.',
      },
    },
  ],
  write: (answers) =>
    answers.flatMap((answer) => {
      if (answer.status === 'cancelled') return [textPart(answer.reason ?? '')];
      const payload = payloadOf(answer);
      return typeof payload === 'string' && payload !== '' ? [textPart(payload)] : [];
    }),
};

const BUILT_IN: readonly RequestDialect[] = [inputRequestDialect, adkDialect, mastraDialect, textDialect];

export interface ReadRequests {
  readonly dialect: RequestDialect;
  readonly asked: readonly AskedRequest[];
}

/** As {@link readRequests}, for a task that waits for an authorization. */
export function readAuthorization(
  message: Message | undefined,
  given: readonly RequestDialect[] = [],
): ReadRequests {
  const read = readRequests(message, given);
  if (read.dialect !== textDialect) return read;
  return {
    dialect: authDialect,
    asked: authDialect.read(a2aMessage({ messageId: '', role: 'agent' }, [])) ?? [],
  };
}

/** The parts of a message that are neither text nor part of a request. */
export function shownParts(message: Message, given: readonly RequestDialect[] = []): readonly Part[] {
  const { dialect } = readRequests(message, given);
  const isRequest = (part: Part) =>
    dialect !== textDialect && (dialect.asks?.(part) ?? part.content?.$case === 'data');
  return message.parts.filter(
    (part) => part.content !== undefined && part.content.$case !== 'text' && !isRequest(part),
  );
}

/** Reads a pause in the first dialect that fits; `given` comes before the built-in dialects. */
export function readRequests(
  message: Message | undefined,
  given: readonly RequestDialect[] = [],
): ReadRequests {
  for (const dialect of [...given, ...BUILT_IN]) {
    const asked = message === undefined ? undefined : dialect.read(message);
    if (asked !== undefined && asked.length > 0) return { dialect, asked };
  }
  return { dialect: textDialect, asked: [{ request: {}, responseSchema: { type: 'string' } }] };
}

/** The dialect of this name; the text dialect if there is no such dialect any more. */
export function dialectCalled(name: string, given: readonly RequestDialect[] = []): RequestDialect {
  return [...given, ...BUILT_IN, authDialect].find((dialect) => dialect.name === name) ?? textDialect;
}
