import { defined, isRecord } from '../core/index.ts';
import type { JsonSchema } from '../core/schema/index.ts';
import { answerEffect, approvalResponseSchema } from '../content/index.ts';
import { cancelledText } from '../content/interrupts/index.ts';
import type { Interrupt, Message, ResumeEntry } from '../protocol/index.ts';
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
}

/** The interrupt that asks for the approval of a call. */
export function approvalInterrupt({ id, callId, name, args, message, editedArgs }: CallToApprove): Interrupt {
  return {
    id,
    reason: InterruptReason.ToolCall,
    message: message ?? `Approve ${name}?`,
    ...defined({ toolCallId: callId }),
    responseSchema: { ...approvalResponseSchema(editedArgs === undefined ? {} : { editedArgs }) },
    metadata: { functionName: name, ...defined({ functionArguments: args }) },
  };
}

/** What a framework is told of an approval. */
export interface Decision {
  readonly approved: boolean;
  /** Why not; a cancelled interrupt says that nobody answered. */
  readonly reason?: string;
  readonly editedArgs?: Readonly<Record<string, unknown>>;
}

/** Reads the answer to an approval: a cancelled one rejects the call. */
export function decisionOf(entry: ResumeEntry): Decision {
  const effect = answerEffect('approval', entry);
  if (effect.type === 'run') {
    return { approved: true, ...(isRecord(effect.editedArgs) ? { editedArgs: effect.editedArgs } : {}) };
  }
  if (effect.type !== 'rejected') return { approved: false, reason: cancelledText(undefined) };
  return { approved: false, ...defined({ reason: effect.reason }) };
}

/** The user's messages after the last one that the framework has seen; all of them when it has seen none. */
export function freshMessages(
  messages: readonly Message[],
  isSeen: (messageId: string) => boolean,
): readonly Message[] {
  const last = messages.findLastIndex(({ id }) => isSeen(id));
  return messages.slice(last + 1).filter(({ role }) => role === 'user');
}

/** The text of a message; other parts are left out. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
