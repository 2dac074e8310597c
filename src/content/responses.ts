import type { UnknownRecord } from '../core/basics/index.ts';
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

/** What a person decided about a call. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
  readonly editedArgs?: unknown;
  readonly additionalProperties?: UnknownRecord;
}

/** The answer to an approval request: yes or no, perhaps with a reason or with other arguments. */
export function approvalResponse(
  request: FunctionApprovalRequestContent,
  { approved, reason, editedArgs, additionalProperties }: Decision,
): FunctionApprovalResponseContent {
  return {
    type: 'functionApprovalResponse',
    approved,
    functionCall: request.functionCall,
    ...(reason === undefined ? {} : { reason }),
    ...(editedArgs === undefined ? {} : { editedArgs }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
    ...replyTo(request),
  };
}

/** The answer to a user-input request; no value means that the answer says nothing. */
export function inputResponse(request: UserInputRequestContent, value?: unknown): UserInputResponseContent {
  return {
    type: 'userInputResponse',
    ...(value === undefined ? {} : { value }),
    ...replyTo(request),
  };
}

/** Says that nobody will answer, which is not a denial. */
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

/** The interrupt goes along: it knows the schema of the answer, and whether the question had an id. */
function replyTo({ id, rawRepresentation }: RequestContent): Reply {
  return isInterrupt(rawRepresentation) ? { id, rawRepresentation } : { id };
}
