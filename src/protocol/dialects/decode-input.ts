import type { RunAgentInput } from '@ag-ui/core';
import { isRecord } from '../../core/basics/index.ts';
import { invalidInput, kindOf } from '../../core/issues/index.ts';
import type { DialectName, InputContext } from './dialect.ts';
import { dialectNamed } from './dialect-named.ts';

/** The forms that can be told from 1.0, in the order to ask them: a snake-case draft is snake. */
const TELLTALE: readonly DialectName[] = ['snake', 'draft', 'command'];

export interface DecodedInput {
  readonly input: RunAgentInput;
  /** The form it came in; the answer to it is best given in the same. */
  readonly dialect: DialectName;
}

/**
 * Reads a run input. `expected` is what the host, agent or request says it is; an input that is plainly of
 * another form is read as that. Throws `INPUT_INVALID` with JSON pointers.
 */
export function decodeInput(
  value: unknown,
  expected: DialectName = '1.0',
  context: InputContext = {},
): DecodedInput {
  if (!isRecord(value)) {
    throw invalidInput('run input', [{ pointer: '', message: `expected an object, found ${kindOf(value)}` }]);
  }
  const told = TELLTALE.find((name) => dialectNamed(name).ownsInput(value));
  const form = dialectNamed(told ?? expected);
  return { input: form.decodeInput(value, context), dialect: form.name };
}
