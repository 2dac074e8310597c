import { answerEffect, approvalResponseSchema } from '../content/index.ts';
import { cancelledText } from '../content/interrupts/index.ts';
import { defined, isRecord } from '../core/index.ts';
import type { JsonSchema } from '../core/schema/index.ts';
import type { AgentContext } from '../engine/index.ts';
import { cancellationOf } from '../engine/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/index.ts';

/** A call that a framework asks approval for. */
export interface CallToApprove {
  /** The id of the interrupt. */
  readonly id: string;
  readonly callId?: string | undefined;
  readonly name: string;
  readonly args: unknown;
  readonly message?: string | undefined;
  /** Schema of edited arguments, where the framework takes them. */
  readonly editedArgs?: JsonSchema | undefined;
  /** The only decision that the framework takes. Default: it takes both. */
  readonly approved?: boolean | undefined;
  /** Further metadata of the interrupt, for the adapter. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The interrupt that asks for the approval of a call. */
export function approvalInterrupt(call: CallToApprove): Interrupt {
  const { id, callId, name, args, editedArgs, approved } = call;
  const schema = approvalResponseSchema(defined({ editedArgs }));
  const properties = { ...(schema['properties'] as object), approved: { type: 'boolean', enum: [approved] } };
  return {
    id,
    reason: InterruptReason.ToolCall,
    message: call.message ?? `Approve ${name}?`,
    ...defined({ toolCallId: callId }),
    responseSchema: approved === undefined ? { ...schema } : { ...schema, properties },
    metadata: { functionName: name, ...defined({ functionArguments: args }), ...call.metadata },
  };
}

/** The decision about a call, for its framework. */
export interface Decision {
  readonly approved: boolean;
  /** Why not: the reason of the person, or how the interrupt was cancelled. */
  readonly reason?: string;
  readonly editedArgs?: Readonly<Record<string, unknown>>;
}

/** Reads the answer to an approval; a cancelled interrupt rejects the call. */
export function decisionOf(entry: ResumeEntry, context: AgentContext): Decision {
  const effect = answerEffect('approval', entry);
  if (effect.type === 'run') {
    return { approved: true, ...(isRecord(effect.editedArgs) ? { editedArgs: effect.editedArgs } : {}) };
  }
  const reason = effect.type === 'rejected' ? effect.reason : cancelledText(cancellationOf(entry, context));
  return { approved: false, ...defined({ reason }) };
}
