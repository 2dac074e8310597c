import type { RunAgentInput } from '@ag-ui/core';
import type { UnknownRecord } from '../../../core/index.ts';
import { isRecord } from '../../../core/index.ts';
import { renamePart } from './rename-members.ts';

export function encodeInput(input: RunAgentInput): UnknownRecord {
  const renamed = renamePart(input, 'RunAgentInput', 'toSnake');
  return isRecord(renamed) ? renamed : {};
}
