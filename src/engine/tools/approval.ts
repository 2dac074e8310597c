import type { Approvers, OnExpire } from '../../content/interrupts/index.ts';
import { defined } from '../../core/index.ts';
import type { JsonSchema } from '../../core/schema/index.ts';
import type { Metadata } from '../../protocol/index.ts';
import type { Principal } from './tool-context.ts';

/** What a rule about approvals may look at besides the input. */
export interface ApprovalContext {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly threadId: string;
  readonly principal: Principal | undefined;
}

/** When and how a call is put to a person. */
export interface ApprovalOptions<Input> {
  /** Asks only when this says so; always when absent. */
  readonly when?: (input: Input, context: ApprovalContext) => boolean | Promise<boolean>;
  readonly message?: string | ((input: Input) => string);
  readonly description?: string | ((input: Input) => string);
  /** The person may change the arguments. */
  readonly editable?: boolean;
  /** Further members of the answer, as JSON Schemas; they reach the tool in `ctx.resumed`. */
  readonly response?: Readonly<Record<string, JsonSchema>>;
  /** A phrase that has to be typed to approve. */
  readonly confirmation?: string;
  /** A rejection needs a reason. */
  readonly requireReason?: boolean;
  /** Milliseconds until the question expires. */
  readonly expiresInMs?: number;
  /** Who may answer; whoever can reach the question when absent. */
  readonly approvers?: Approvers;
  /** What becomes of it when nobody answers in time; by default it stays, and can be asked again. */
  readonly onExpire?: OnExpire;
  readonly reason?: string;
  /** What the model is told when a person says no; by default that the call was rejected, and why. */
  readonly rejection?: (reason: string | undefined) => string;
  readonly metadata?: Metadata;
}

/** `true` always asks, `false` never does (an organisation's policies still may), a function decides. */
export type Approval<Input> =
  | boolean
  | ((input: Input, context: ApprovalContext) => boolean | Promise<boolean>)
  | ApprovalOptions<Input>;

/** Of these, who may answer a question, and how long it waits. */
export function questionOptions(
  options: Pick<ApprovalOptions<never>, 'approvers' | 'onExpire' | 'expiresInMs'>,
): Pick<ApprovalOptions<never>, 'approvers' | 'onExpire' | 'expiresInMs'> {
  const { approvers, onExpire, expiresInMs } = options;
  return {
    ...defined({ approvers, onExpire, expiresInMs }),
  };
}
