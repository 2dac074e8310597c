import type { Interrupt } from '@ag-ui/core';
import { isRecord, ownMember } from '../../core/index.ts';

/**
 * True when an interrupt can be approved and rejected: its response schema has `approved`. Without a schema, as
 * foreign servers send it, the interrupt must name a function, or a tool call with the reason `tool_call`.
 */
export function isApprovable({ responseSchema, metadata, toolCallId, reason }: Interrupt): boolean {
  if (responseSchema !== undefined) return has(responseSchema['properties'], 'approved');
  if (toolCallId !== undefined && reason === 'tool_call') return true;
  return has(metadata, 'functionName') || has(metadata?.['payload'], 'functionName');
}

function has(value: unknown, name: string): boolean {
  return isRecord(value) && ownMember(value, name) !== undefined;
}
