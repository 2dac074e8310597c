import type { RunAgentInput } from '@ag-ui/core';
import { invalidInput, isRecord, kindOf } from '../../core/index.ts';
import type { DialectName, InputContext } from './dialect.ts';
import { dialectNamed } from './dialect-named.ts';

/** The dialects that differ visibly from 1.0, in the order to try them: a snake-case draft is snake. */
const TELLTALE: readonly DialectName[] = ['snake', 'draft', 'command'];

/** A run input and the dialect it was written in. */
export interface DecodedInput {
  readonly input: RunAgentInput;
  /** The dialect of the input; answer in the same one. */
  readonly dialect: DialectName;
}

/**
 * Reads a run input. `expected` is the dialect that the host, agent or request declares; an input that is visibly
 * of another dialect is read as that. Throws `INPUT_INVALID` with JSON pointers.
 */
export function decodeInput(
  value: unknown,
  expected: DialectName = '1.0',
  context: InputContext = {},
): DecodedInput {
  if (!isRecord(value)) {
    throw invalidInput('run input', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const recognized = TELLTALE.find((name) => dialectNamed(name).ownsInput(value));
  const form = dialectNamed(recognized ?? expected);
  return { input: form.decodeInput(value, context), dialect: form.name };
}
