import type { UnknownRecord } from '../core/index.ts';
import { defined, isRecord } from '../core/index.ts';
import type { FunctionDetails, Interrupt } from '../protocol/index.ts';
import { approvalOf, payloadOf } from '../protocol/interrupts/approval.ts';
import { InterruptReason } from '../protocol/interrupts/interrupt.ts';
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from './chat-content.ts';
import type { ContentKind, InterruptContext } from './content-kind.ts';
import { sameJson } from './json-forms.ts';
import { draftIn, isInterrupt, newInterrupt, readInterruptFields } from './interrupt-fields.ts';
import { isApproved } from './interrupts/approval-rules.ts';
import { approvalResponseSchema } from './interrupts/response-schemas.ts';

/** Approval of a call: an interrupt that states its function or names a known call. */
export const functionApproval: ContentKind<FunctionApprovalRequestContent, FunctionApprovalResponseContent> =
  {
    kind: 'functionApproval',

    matches: (interrupt, findCall) => approvalOf(interrupt, findCall) !== undefined,

    fromInterrupt: (interrupt, context) => ({
      type: 'functionApprovalRequest',
      id: context.id,
      functionCall: callOf(interrupt, context),
      ...readInterruptFields(interrupt),
      rawRepresentation: interrupt,
    }),

    toInterrupt(request) {
      const { functionCall, rawRepresentation: raw } = request;
      const draft = draftIn(raw);
      if (draft !== undefined) {
        return { ...restate(draft, request), ...newInterrupt(request, request.reason ?? draft.reason) };
      }
      if (isInterrupt(raw)) return restate(raw, request);
      return {
        ...newInterrupt(request, request.reason ?? InterruptReason.ToolCall),
        toolCallId: functionCall.callId,
        responseSchema: request.responseSchema ?? approvalResponseSchema(),
        metadata: { ...detailsOf(functionCall) },
      };
    },

    toResume: ({ approved, reason, editedArgs, additionalProperties }) => ({
      status: 'resolved',
      payload: {
        ...additionalProperties,
        approved,
        ...defined({ reason, editedArgs }),
      },
    }),

    fromResume({ status, payload }, { id, functionCall }) {
      const response = { type: 'functionApprovalResponse', id, functionCall } as const;
      if (status === 'cancelled') return { ...response, approved: false, cancelled: true };
      if (!isRecord(payload)) return { ...response, approved: false };
      const { approved: _approved, accepted: _accepted, reason, editedArgs, ...rest } = payload;
      return {
        ...response,
        approved: isApproved(payload) && fitsArguments(editedArgs),
        ...defined({
          reason: typeof reason === 'string' ? reason : undefined,
          editedArgs: isRecord(editedArgs) ? editedArgs : undefined,
          additionalProperties: Object.keys(rest).length > 0 ? rest : undefined,
        }),
      };
    },
  };

/**
 * True without edits, or when the edits are arguments. An answer with other edits does not approve: the person did
 * not approve the original arguments.
 */
function fitsArguments(editedArgs: unknown): boolean {
  return editedArgs === undefined || editedArgs === null || isRecord(editedArgs);
}

/** The call of an approval; missing arguments come from the named call. */
function callOf(interrupt: Interrupt, { id, findCall }: InterruptContext): FunctionCallContent {
  const { functionName = '', functionArguments } = approvalOf(interrupt, findCall) ?? {};
  const callId = interrupt.toolCallId ?? id;
  const known = functionArguments === undefined ? findCall?.(callId) : undefined;
  const completed = known?.functionName === functionName ? known.functionArguments : functionArguments;
  return {
    type: 'functionCall',
    callId,
    name: functionName,
    ...defined({ arguments: completed }),
  };
}

function detailsOf({ name, arguments: functionArguments }: FunctionCallContent): FunctionDetails {
  return { functionName: name, ...defined({ functionArguments }) };
}

/**
 * The interrupt that the request came from, the same object, as long as it states the same call. A person must see
 * the call that the request has now, so for another call the interrupt is rewritten and keeps its other members.
 */
function restate(raw: Interrupt, { id, functionCall }: FunctionApprovalRequestContent): Interrupt {
  const details = detailsOf(functionCall);
  const said = approvalOf(raw);
  const isSameCall = functionCall.callId === (raw.toolCallId ?? id);
  const isSameFunction =
    said?.functionName === details.functionName &&
    sameJson(said.functionArguments, details.functionArguments);
  if (isSameCall && isSameFunction) return raw;
  const payload = payloadOf(raw);
  return {
    ...raw,
    ...defined({ toolCallId: isSameCall ? undefined : functionCall.callId }),
    metadata: {
      ...withDetails(raw.metadata ?? {}, details),
      ...defined({ payload: isRecord(payload) ? withDetails(payload, details) : undefined }),
    },
  };
}

function withDetails(record: UnknownRecord, details: FunctionDetails): UnknownRecord {
  const { functionName: _name, functionArguments: _arguments, ...rest } = record;
  return { ...rest, ...details };
}
