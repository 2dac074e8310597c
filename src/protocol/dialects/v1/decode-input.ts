import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { decodeRunInput } from '../../shapes/decode-input.ts';
import type { InputContext } from '../dialect.ts';

/** Always false: 1.0 is the default when no other dialect claims an input. */
export function ownsInput(): boolean {
  return false;
}

export function decodeInput(value: UnknownRecord, context: InputContext): RunAgentInput {
  return decodeRunInput(value, context);
}
