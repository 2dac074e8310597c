import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';

export function encodeInput(input: RunAgentInput): UnknownRecord {
  return { ...input };
}
