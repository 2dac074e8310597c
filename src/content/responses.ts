import type { UnknownRecord } from '../core/basics/index.ts';
import { defined } from '../core/basics/index.ts';
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  Reply,
  RequestContent,
  ResponseContent,
  UserInputRequestContent,
  UserInputResponseContent,
} from './chat-content.ts';
import { isInterrupt } from './raw-representation.ts';

/** A person's decision about a call. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
  readonly editedArgs?: unknown;
  readonly additionalProperties?: UnknownRecord;
}

/** The response to an approval request, optionally with a reason or edited arguments. */
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

/** The response to a user-input request; without a value, the answer has no payload. */
export function inputResponse(request: UserInputRequestContent, value?: unknown): UserInputResponseContent {
  return {
    type: 'userInputResponse',
    ...defined({ value }),
    ...replyTo(request),
  };
}

/** The response that cancels a request; a rejection is another response. */
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
function replyTo({ id, rawRepresentation }: RequestContent): Reply {
  return isInterrupt(rawRepresentation) ? { id, rawRepresentation } : { id };
}
