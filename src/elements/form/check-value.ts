import type { Issue } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';

/**
 * What is wrong with a value, by the validator that the server uses; it is loaded with the first answer. A schema
 * that cannot be used here leaves the word to the server.
 */
export async function checkValue(schema: unknown, value: unknown): Promise<readonly Issue[]> {
  if (typeof schema !== 'object' || schema === null) return [];
  const { compileForeignSchema } = await import('../../core/schema/index.ts');
  try {
    const compiled = await compileForeignSchema(schema as Readonly<Record<string, unknown>>, 'browser');
    return compiled.validate(value);
  } catch (error) {
    if (HoldpointError.is(error, 'INPUT_INVALID')) return [];
    throw error;
  }
}

/** A sentence of the validator as a person is told it: "Expected at least 3 characters." */
export function toSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
