import type { Message } from '@a2a-js/sdk';
import { cancelledText } from '../../content/interrupts/index.ts';
import { textPart } from '../parts.ts';
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
      if (answer.status === 'cancelled') return textPart(cancelledText(undefined));
      const payload = payloadOf(answer);
      return textPart(typeof payload === 'string' ? payload : JSON.stringify(payload));
    }),
};

const BUILT_IN: readonly RequestDialect[] = [inputRequestDialect, adkDialect, mastraDialect, textDialect];

export interface ReadRequests {
  readonly dialect: RequestDialect;
  readonly asked: readonly AskedRequest[];
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
  return [...given, ...BUILT_IN].find((dialect) => dialect.name === name) ?? textDialect;
}
