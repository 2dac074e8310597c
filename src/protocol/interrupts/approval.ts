import type { Interrupt } from '@ag-ui/core';
import type { UnknownRecord } from '../../core/index.ts';
import { isRecord, ownMember } from '../../core/index.ts';

/** `InterruptReason.ToolCall`, without the other reasons. */
const TOOL_CALL = 'tool_call';

/** The function of an approval and its arguments. */
export interface FunctionDetails {
  readonly functionName: string;
  readonly functionArguments?: unknown;
}

/** Looks up a tool call of the conversation by its id. */
export type FindCall = (toolCallId: string) => FunctionDetails | undefined;

/**
 * The function that an interrupt asks approval for; undefined when it is not an approval. The interrupt states the
 * function (`functionName` in its metadata or payload), or it names a tool call of the conversation and has the
 * reason `tool_call` or `approved` in its response schema.
 */
export function approvalOf(interrupt: Interrupt, findCall?: FindCall): FunctionDetails | undefined {
  const { metadata, toolCallId, reason, responseSchema } = interrupt;
  const stated = functionDetails(metadata) ?? functionDetails(payloadOf(interrupt));
  if (stated !== undefined) return stated;
  if (toolCallId === undefined) return undefined;
  const isApproval = reason === TOOL_CALL || offersApproved(responseSchema);
  return isApproval ? findCall?.(toolCallId) : undefined;
}

/** The payload of an interrupt, in the terms of the draft. */
export function payloadOf(interrupt: Interrupt): unknown {
  return interrupt.metadata === undefined ? undefined : ownMember(interrupt.metadata, 'payload');
}

/** Reads `{functionName, functionArguments?}`; a null name reads as empty. */
export function functionDetails(value: unknown): FunctionDetails | undefined {
  if (!isRecord(value)) return undefined;
  const name = ownMember(value, 'functionName');
  if (name === undefined) return undefined;
  const details = { functionName: typeof name === 'string' ? name : '' };
  const functionArguments = ownMember(value, 'functionArguments');
  return functionArguments === undefined ? details : { ...details, functionArguments };
}

function offersApproved(schema: UnknownRecord | undefined): boolean {
  const properties = schema === undefined ? undefined : schema['properties'];
  return isRecord(properties) && Object.hasOwn(properties, 'approved');
}
