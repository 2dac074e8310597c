import type { ApprovalExpiry, Approvers } from '../../content/interrupts/index.ts';
import { assertExpiry } from '../../content/interrupts/index.ts';
import { defined } from '../../core/index.ts';
import type { JsonSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import type { Principal } from './tool-context.ts';
import type { InterruptRules } from './tool-replies.ts';

/** The context of an approval rule, besides the input. */
export interface ApprovalContext {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly threadId: string;
  readonly principal: Principal | undefined;
}

/** When and how a call needs an approval. */
export interface ApprovalOptions<Input> {
  /** Decides whether the call needs an approval. Default: always. */
  readonly when?: (input: Input, context: ApprovalContext) => boolean | Promise<boolean>;
  /** The headline of the request. Default: the title of the call with a question mark. */
  readonly message?: string | ((input: Input) => string);
  /** A longer text below the headline. Default: none. */
  readonly description?: string | ((input: Input) => string);
  /** Whether the person may edit the arguments. Default false. */
  readonly editable?: boolean;
  /** Further members of the answer, as JSON Schemas; the tool gets them in `ctx.resumed`. Default: none. */
  readonly response?: Readonly<Record<string, JsonSchema>>;
  /** A phrase to type for the approval. Default: none. */
  readonly confirmation?: string;
  /** Whether a rejection needs a reason. Default false. */
  readonly requireReason?: boolean;
  /** Milliseconds until the interrupt expires. Default: that of the run. */
  readonly expiresInMs?: number;
  /** The principals who may answer. Default: those who may see the thread. */
  readonly approvers?: Approvers;
  /** The action when the interrupt expires. Default `keep`: it stays and can be asked again. No answer: an expiry never approves. */
  readonly onExpire?: ApprovalExpiry;
  /** The reason of the interrupt. Default `tool_call`. */
  readonly reason?: string;
  /** The text for the model after a rejection. Default: that the call was rejected, with the reason. */
  readonly rejection?: (reason: string | undefined) => string;
  /**
   * Further metadata of the interrupt, or a function that reads it when the call asks, such as a balance. If the function
   * throws, the call is not made. Default: none.
   */
  readonly metadata?: Metadata | ((input: Input) => Metadata | Promise<Metadata>);
  /**
   * Whether a person may have the approval remembered, and the amount of a call, so that a grant can have a total. Default:
   * true, without an amount.
   */
  readonly remember?: boolean | RememberOptions<Input>;
}

/** Options of remembered approvals. */
export interface RememberOptions<Input> {
  /** The amount of a call in the unit of the tool, such as cents. A grant with a total counts it. */
  readonly amount: (input: Input) => number;
}

/** `true` always requires an approval, `false` never (policies still may), a function decides. */
export type Approval<Input> =
  | boolean
  | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>)
  | ApprovalOptions<Input>;

/** The approvers, the expiry action and the time limit (`expiresInMs`, in milliseconds) of the interrupts of a tool. */
export interface InterruptToolRules extends InterruptRules {
  readonly expiresInMs?: number;
}

/** The approvers and the expiry of these options. */
export function interruptOptions({
  approvers,
  onExpire,
  expiresInMs,
}: InterruptToolRules): InterruptToolRules {
  return defined({ approvers, onExpire, expiresInMs });
}

/** Throws `INPUT_INVALID` for an approval that an expiry would answer. */
export function assertApproval(name: string, approval: unknown): void {
  if (typeof approval !== 'object' || approval === null || !('onExpire' in approval)) return;
  assertExpiry(approval.onExpire, { owner: `The approval of the tool ${name}`, isApproval: true });
}
