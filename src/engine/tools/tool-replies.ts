import type { Approvers, InterruptKind, OnExpire, ReplyMethod } from '../../content/interrupts/index.ts';
import { defined, HoldpointError } from '../../core/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';

/** Rules that hold for a question where a store keeps it. */
export interface QuestionRules {
  readonly approvers?: Approvers;
  readonly onExpire?: OnExpire;
}

/** A call that waits, as `generate` gives it. */
export interface InterruptPart {
  readonly kind: InterruptKind;
  readonly toolName: string;
  readonly toolCallId: string | undefined;
  readonly input: unknown;
  /** The question; its id is what an answer names. */
  readonly interrupt: Interrupt;
  /** Who may answer, and what happens when nobody does, where a store keeps the question. */
  readonly rules?: QuestionRules;
  /** The metadata of the question. */
  readonly metadata: Metadata;
}

/** An answer in process: a resume entry, how it was made, and new arguments where it carries them. */
export interface Reply extends ResumeEntry {
  readonly method: ReplyMethod;
  readonly toolName?: string;
  readonly replaceInput?: unknown;
}

/** The answering halves of a tool. */
export interface ToolReplies<Input, Output, Resumed> {
  /** Answers an interrupt with what the call is to give. */
  respond(part: InterruptPart, output: Output, options?: { readonly metadata?: Metadata }): Reply;
  /** Runs the body of a restartable tool again, with this as `ctx.resumed`. */
  restart(
    part: InterruptPart,
    options: { readonly resumed: Resumed; readonly replaceInput?: Input; readonly metadata?: Metadata },
  ): Reply;
  /** Answers a `ctx.ask`. */
  answer(part: InterruptPart, value: unknown): Reply;
  /** What the call that asks was called with. Throws `INPUT_INVALID` for another tool's call. */
  inputOf(part: InterruptPart): Input;
}

export function toolReplies<Input, Output, Resumed>(toolName: string): ToolReplies<Input, Output, Resumed> {
  const reply = (part: InterruptPart, method: ReplyMethod, rest: Partial<Reply>): Reply => ({
    interruptId: part.interrupt.id,
    status: 'resolved',
    toolName,
    method,
    ...rest,
  });
  const withMetadata = (metadata: Metadata | undefined) => (metadata === undefined ? {} : { metadata });
  return {
    respond: (part, output, { metadata } = {}) =>
      reply(part, 'respond', { payload: output, ...withMetadata(metadata) }),
    restart: (part, { resumed, replaceInput, metadata }) =>
      reply(part, 'restart', {
        payload: resumed,
        ...defined({ replaceInput }),
        ...withMetadata(metadata),
      }),
    answer: (part, value) => reply(part, 'answer', { payload: value }),
    inputOf(part) {
      if (part.toolName === toolName) return part.input as Input;
      throw new HoldpointError(
        'INPUT_INVALID',
        `${part.interrupt.id} was asked by ${part.toolName}, not by ${toolName}.`,
      );
    },
  };
}
