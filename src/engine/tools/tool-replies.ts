import type { Approvers, InterruptKind, OnExpire, ReplyMethod } from '../../content/interrupts/index.ts';
import type { Check } from '../../core/index.ts';
import {
  checkOptions,
  defined,
  HoldpointError,
  isRecord,
  kindOf,
  members,
  optional,
  record,
} from '../../core/index.ts';
import type { Interrupt, Metadata, ResumeEntry } from '../../protocol/index.ts';

/** Rules for a stored interrupt. */
export interface InterruptRules {
  readonly approvers?: Approvers;
  readonly onExpire?: OnExpire;
}

/** A waiting call in the result of `generate`. */
export interface InterruptPart {
  readonly kind: InterruptKind;
  readonly toolName: string;
  readonly toolCallId: string | undefined;
  readonly input: unknown;
  /** The interrupt; an answer names its id. */
  readonly interrupt: Interrupt;
  /** The approvers and the expiry rule, with a store. */
  readonly rules?: InterruptRules;
  /** The metadata of the interrupt. */
  readonly metadata: Metadata;
  /** The version of the tool, if it has one. */
  readonly toolVersion?: string;
}

/** An answer in process: a resume entry, its method, and new arguments if it has any. */
export interface Reply extends ResumeEntry {
  readonly method: ReplyMethod;
  /** The kind of the answered interrupt. */
  readonly kind?: InterruptKind;
  readonly toolName?: string;
  readonly replaceInput?: unknown;
}

/** Options of `tool.respond`. */
interface RespondOptions {
  readonly metadata?: Metadata;
}

/** Options of `tool.restart`. */
interface RestartOptions<Input, Resumed> {
  /** The value of `ctx.resumed`. */
  readonly resumed: Resumed;
  /** Arguments in place of those of the call. */
  readonly replaceInput?: Input;
  readonly metadata?: Metadata;
}

/** The reply functions of a tool. */
export interface ToolReplies<Input, Output, Resumed> {
  /** Answers an interrupt with the output of the call. A body that called `ctx.interrupt` does not run again. */
  respond(part: InterruptPart, output: Output, options?: RespondOptions): Reply;
  /** Runs the body of a restartable tool again, with `resumed` as `ctx.resumed`; without options, `ctx.resumed` is `true`. */
  restart(part: InterruptPart, options?: RestartOptions<Input, Resumed>): Reply;
  /** Answers a `ctx.ask`. */
  answer(part: InterruptPart, value: unknown): Reply;
  /** The input of the waiting call. Throws `INPUT_INVALID` for a call of another tool. */
  inputOf(part: InterruptPart): Input;
}

export function toolReplies<Input, Output, Resumed>(toolName: string): ToolReplies<Input, Output, Resumed> {
  const reply = (part: InterruptPart, method: ReplyMethod, rest: Partial<Reply>): Reply => {
    assertPart(part, `${toolName}.${method}`);
    return {
      interruptId: part.interrupt.id,
      status: 'resolved',
      toolName,
      method,
      kind: part.kind,
      ...rest,
    };
  };
  const withMetadata = (metadata: Metadata | undefined) => (metadata === undefined ? {} : { metadata });
  return {
    respond(part, output, options) {
      assertOptions(options, `${toolName}.respond`, respondOptions);
      return reply(part, 'respond', { payload: output, ...withMetadata(options?.metadata) });
    },
    restart(part, options) {
      assertOptions(options, `${toolName}.restart`, restartOptions);
      return reply(part, 'restart', {
        payload: options === undefined ? true : options.resumed,
        ...defined({ replaceInput: options?.replaceInput }),
        ...withMetadata(options?.metadata),
      });
    },
    answer: (part, value) => reply(part, 'answer', { payload: value }),
    inputOf(part) {
      assertPart(part, `${toolName}.inputOf`);
      if (part.toolName === toolName) return part.input as Input;
      throw new HoldpointError(
        'INPUT_INVALID',
        `${part.interrupt.id} was asked by ${part.toolName}, not by ${toolName}.`,
      );
    },
  };
}

/** JavaScript passes a name that TypeScript would refuse; without this, the body would run again with nothing. */
function assertOptions(options: unknown, method: string, check: Check): void {
  if (options !== undefined) checkOptions(`options of ${method}()`, options, check);
}

const anything: Check = () => true;
const respondOptions = members<RespondOptions>({ metadata: optional(record) });
const restartOptions = members<RestartOptions<unknown, unknown>>({
  resumed: anything,
  replaceInput: anything,
  metadata: optional(record),
});

function assertPart(part: unknown, method: string): void {
  if (isRecord(part) && isRecord(part['interrupt'])) return;
  throw new HoldpointError(
    'INPUT_INVALID',
    `${method}() takes one part of response.interrupts, not ${kindOf(part)}.`,
  );
}
