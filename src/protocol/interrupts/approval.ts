import type { Interrupt } from '@ag-ui/core';
import { defined, isRecord, ownMember } from '../../core/index.ts';
import { InterruptReason } from './interrupt.ts';

/** The function of an approval and its arguments. */
export interface FunctionDetails {
  /** Name of the function. */
  readonly functionName: string;
  /** Parsed arguments; the text itself when it is not JSON. */
  readonly functionArguments?: unknown;
}

/** Looks up a tool call of the conversation by its id. */
export type FindCall = (toolCallId: string) => FunctionDetails | undefined;

/**
 * The function that an interrupt asks approval for; undefined when it is not an approval. The interrupt states the
 * function (`functionName` in its metadata or payload), or it names a tool call of the conversation and has the
 * reason `tool_call` or `approved` in its response schema.
 *
 * @example
 * ```ts
 * import { approvalOf } from 'holdpoint/protocol';
 *
 * const call = approvalOf(interrupt);
 * if (call !== undefined) console.log(`Run ${call.functionName}?`);
 * ```
 */
export function approvalOf(interrupt: Interrupt, findCall?: FindCall): FunctionDetails | undefined {
  const { metadata, toolCallId, reason, responseSchema } = interrupt;
  const stated = functionDetails(metadata) ?? functionDetails(payloadOf(interrupt));
  if (stated !== undefined) return stated;
  if (toolCallId === undefined) return undefined;
  const isApproval = reason === InterruptReason.ToolCall || has(responseSchema?.['properties'], 'approved');
  return isApproval ? findCall?.(toolCallId) : undefined;
}

/**
 * The payload of an interrupt, in the terms of the draft.
 *
 * @example
 * ```ts
 * import { payloadOf } from 'holdpoint/protocol';
 *
 * console.log(payloadOf(interrupt));
 * ```
 */
export function payloadOf(interrupt: Interrupt): unknown {
  return interrupt.metadata === undefined ? undefined : ownMember(interrupt.metadata, 'payload');
}

/**
 * Reads `{functionName, functionArguments?}`; a null name reads as empty.
 *
 * @example
 * ```ts
 * import { functionDetails } from 'holdpoint/protocol';
 *
 * const call = functionDetails({ functionName: 'pay', functionArguments: { amount: 5 } });
 * ```
 */
export function functionDetails(value: unknown): FunctionDetails | undefined {
  if (!isRecord(value)) return undefined;
  const name = ownMember(value, 'functionName');
  if (name === undefined) return undefined;
  const functionArguments = ownMember(value, 'functionArguments');
  return { functionName: typeof name === 'string' ? name : '', ...defined({ functionArguments }) };
}

function has(value: unknown, name: string): boolean {
  return isRecord(value) && ownMember(value, name) !== undefined;
}

/** What the schema of a tool does to the arguments that the model gave. */
export interface SchemaEffect {
  /** The members that the schema drops, by their JSON pointer: the tool does not get them. */
  readonly dropped?: Readonly<Record<string, unknown>>;
  /** The shown arguments are those of the model: the tool converts them when the call starts, such as a text to a date. */
  readonly converted?: true;
}

/**
 * What the schema of a tool does to the arguments of an interrupt, from the member `schemaEffect` of its metadata; empty if it shows the
 * arguments that run, and the model gave no others.
 *
 * @example
 * ```ts
 * import { schemaEffectOf } from 'holdpoint/protocol';
 *
 * const { dropped = {} } = schemaEffectOf(interrupt);
 * for (const [pointer, value] of Object.entries(dropped)) console.log(`not passed to the tool: ${pointer}`, value);
 * ```
 */
export function schemaEffectOf({ metadata = {} }: Pick<Interrupt, 'metadata'>): SchemaEffect {
  const effect = ownMember(metadata, 'schemaEffect');
  if (!isRecord(effect)) return {};
  const dropped = ownMember(effect, 'dropped');
  return {
    ...(isRecord(dropped) ? { dropped } : {}),
    ...(ownMember(effect, 'converted') === true ? { converted: true } : {}),
  };
}
