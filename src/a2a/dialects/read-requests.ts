import type { Message } from '@a2a-js/sdk';
import { adkDialect } from './adk-dialect.ts';
import { inputRequestDialect } from './input-request-dialect.ts';
import { mastraDialect } from './mastra-dialect.ts';
import type { AskedRequest, RequestDialect } from './request-dialect.ts';
import { textDialect } from './text-dialect.ts';

const BUILT_IN: readonly RequestDialect[] = [inputRequestDialect, adkDialect, mastraDialect, textDialect];

export interface ReadRequests {
  readonly dialect: RequestDialect;
  readonly asked: readonly AskedRequest[];
}

/** Reads a pause in the first form that fits; the given dialects come before the built-in ones. */
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

/** The dialect that a pause was read with; the text one where it is gone. */
export function dialectCalled(name: string, given: readonly RequestDialect[] = []): RequestDialect {
  return [...given, ...BUILT_IN].find((dialect) => dialect.name === name) ?? textDialect;
}
