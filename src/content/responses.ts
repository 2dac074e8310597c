import type { UnknownRecord } from '../core/index.ts';
import { defined } from '../core/index.ts';
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  RequestContent,
  ResponseBase,
  ResponseContent,
  UserInputRequestContent,
  UserInputResponseContent,
} from './chat-content.ts';
import { interruptIn } from './interrupt-fields.ts';

/** A person's decision about a call. */
export interface Decision {
  /** True when the call may run. */
  readonly approved: boolean;
  /** Reason of the decision. Default: none. */
  readonly reason?: string;
  /** Arguments that replace those of the call. Default: the call keeps its own. */
  readonly editedArgs?: unknown;
  /** Further members of the answer, from the response schema. Default: none. */
  readonly additionalProperties?: UnknownRecord;
}

/**
 * The response to an approval request, optionally with a reason or edited arguments.
 *
 * @example
 * ```ts
 * import { approvalResponse, fromInterrupt, toResume } from 'holdpoint/content';
 *
 * const asked = fromInterrupt(interrupt);
 * if (asked.type === 'functionApprovalRequest') toResume(approvalResponse(asked, { approved: true }));
 * ```
 */
export function approvalResponse(
  request: FunctionApprovalRequestContent,
  { approved, reason, editedArgs, additionalProperties }: Decision,
): FunctionApprovalResponseContent {
  return {
    type: 'functionApprovalResponse',
    approved,
    functionCall: request.functionCall,
    ...defined({ reason, editedArgs, additionalProperties }),
    ...replyTo(request),
  };
}

/**
 * The response to a user-input request; without a value, the answer has no payload.
 *
 * @example
 * ```ts
 * import { fromInterrupt, inputResponse, toResume } from 'holdpoint/content';
 *
 * const asked = fromInterrupt(interrupt);
 * if (asked.type === 'userInputRequest') toResume(inputResponse(asked, 'ada@example.com'));
 * ```
 */
export function inputResponse(request: UserInputRequestContent, value?: unknown): UserInputResponseContent {
  return {
    type: 'userInputResponse',
    ...defined({ value }),
    ...replyTo(request),
  };
}

/**
 * The response that cancels a request; a rejection is another response.
 *
 * @example
 * ```ts
 * import { cancelledResponse, fromInterrupt, toResume } from 'holdpoint/content';
 *
 * const entry = toResume(cancelledResponse(fromInterrupt(interrupt)));
 * ```
 */
export function cancelledResponse(request: FunctionApprovalRequestContent): FunctionApprovalResponseContent;
export function cancelledResponse(request: UserInputRequestContent): UserInputResponseContent;
export function cancelledResponse(request: RequestContent): ResponseContent;
export function cancelledResponse(request: RequestContent): ResponseContent {
  const response =
    request.type === 'functionApprovalRequest'
      ? approvalResponse(request, { approved: false })
      : inputResponse(request);
  return { ...response, cancelled: true };
}

/** Keeps the interrupt: it has the schema of the answer, and shows whether it had an id. */
function replyTo({ id, rawRepresentation }: RequestContent): ResponseBase {
  const interrupt = interruptIn(rawRepresentation);
  return interrupt === undefined ? { id } : { id, rawRepresentation: interrupt };
}
