import type { Issue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import { translateSentence } from '../base/strings.ts';

/**
 * Validates a value with the validator that the server uses, loaded on first use. Returns no issues for a schema
 * that does not compile here: then the server decides.
 */
export async function checkValue(schema: unknown, value: unknown): Promise<readonly Issue[]> {
  if (typeof schema !== 'object' || schema === null) return [];
  const { compileInBrowser } = await import('../../core/schema/compile-in-browser.ts');
  try {
    const compiled = compileInBrowser(schema as Readonly<Record<string, unknown>>);
    return compiled.validate(value);
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return [];
    throw error;
  }
}

/** Turns a validator message into a sentence in the language of the page: "Expected at least 3 characters." */
export function toSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return translateSentence(/[.!?]$/.test(text) ? text : `${text}.`);
}
