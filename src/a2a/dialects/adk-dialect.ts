import type { Message, Part } from '@a2a-js/sdk';
import { approvalResponseSchema } from '../../content/interrupts/index.ts';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { isRecord, parseUniqueJson } from '../../core/index.ts';
import { isObjectSchema } from '../fields.ts';
import { dataOf, dataPart } from '../parts.ts';
import type { AskedRequest, RequestAnswer, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

const CONFIRMATION = 'adk_request_confirmation';
const INPUT = 'adk_request_input';

/**
 * Google's Agent Development Kit: a request is a long-running function call with an id. One message must answer all calls with
 * function responses; otherwise the agent asks again.
 */
export const adkDialect: RequestDialect = {
  name: 'adk',
  read(message) {
    const calls = message.parts.flatMap((part) => {
      const data = dataOf(part);
      return data !== undefined && isLongRunning(part) && typeof data['id'] === 'string'
        ? [toAsked(data)]
        : [];
    });
    return calls.length === 0 ? undefined : calls;
  },
  asks: isLongRunning,
  write: (answers) => answers.map(toResponse),
};

function isLongRunning({ metadata }: Part): boolean {
  return metadata?.['adk_type'] === 'function_call' && metadata['adk_is_long_running'] === true;
}

function toAsked(call: JsonObject): AskedRequest {
  const args = isRecord(call['args']) ? call['args'] : {};
  const confirmation = isRecord(args['toolConfirmation']) ? args['toolConfirmation'] : {};
  const hint = stringOf(confirmation['hint']);
  const name = stringOf(call['name']);
  const common = { requestId: stringOf(call['id']), request: call };
  if (name !== CONFIRMATION) {
    const title = hint === '' ? `${name} asks for input.` : hint;
    return { ...common, title, call: { name, args } };
  }
  const confirmed = isRecord(args['originalFunctionCall']) ? args['originalFunctionCall'] : {};
  const tool = stringOf(confirmed['name']);
  return {
    ...common,
    title: hint || (tool === '' ? `${name} asks for input.` : `May ${tool} go ahead?`),
    responseSchema: approvalResponseSchema(),
    ...(tool === '' ? {} : { call: { name: tool, args: confirmed['args'] ?? {} } }),
  };
}

function toResponse(answer: RequestAnswer): Part {
  const { request, requestId } = answer.asked;
  const name = stringOf(request['name']);
  const data = { id: requestId ?? '', name, response: responseOf(name, answer) };
  return dataPart(data, { adk_type: 'function_response' });
}

function responseOf(name: string, answer: RequestAnswer): JsonObject {
  const { status, reason = '' } = answer;
  const payload = payloadOf(answer);
  if (name === CONFIRMATION) {
    return { confirmed: status === 'resolved' && isRecord(payload) && payload['approved'] === true };
  }
  if (status === 'cancelled') return { error: reason };
  return isRecord(payload) ? payload : { result: payload };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether an ADK client sent the message: it adds the names of its session. */
export function isFromAdk({ metadata }: Message): boolean {
  return metadata !== undefined && 'adk_app_name' in metadata;
}

/** A request in the form of {@link callPart}. */
export interface AdkRequest {
  readonly requestId: string;
  /** The text for the person. */
  readonly text: string;
  readonly responseSchema?: unknown;
  /** The call that needs an approval; absent for other requests. */
  readonly call?: { readonly functionName: string; readonly functionArguments?: unknown } | undefined;
}

/** A request as a long-running function call, the only form that an ADK client can answer. */
export function callPart({ requestId, text, responseSchema, call }: AdkRequest): Part {
  const approval = call && {
    originalFunctionCall: { id: requestId, name: call.functionName, args: call.functionArguments },
    toolConfirmation: { hint: text, confirmed: false },
  };
  const name = approval === undefined ? INPUT : CONFIRMATION;
  const args = approval ?? { interruptId: requestId, message: text, responseSchema };
  return dataPart({ id: requestId, name, args }, { adk_type: 'function_call', adk_is_long_running: true });
}

/** The answer of an ADK client to a function call. */
export interface FunctionResponse {
  /** The id of the call. */
  readonly id: string;
  readonly name: string;
  readonly response: JsonObject;
}

export function functionResponsesIn(parts: readonly Part[]): FunctionResponse[] {
  return parts.flatMap((part) => {
    const data = dataOf(part);
    if (data === undefined || part.metadata?.['adk_type'] !== 'function_response') return [];
    const { id, name, response } = data;
    return typeof id === 'string'
      ? [{ id, name: stringOf(name), response: isRecord(response) ? response : {} }]
      : [];
  });
}

/**
 * The payload of a function response: `confirmed` approves or denies, and `result` or `response` alone holds a value or its JSON, because
 * ADK wraps values that are not objects.
 */
export function fromFunctionResponse(schema: unknown, { response }: FunctionResponse): JsonValue {
  const names = Object.keys(response);
  const [only] = names;
  const properties = isRecord(schema) && isRecord(schema['properties']) ? schema['properties'] : {};
  if ('confirmed' in response && !('confirmed' in properties)) {
    return { approved: response['confirmed'] === true };
  }
  const isWrapped = names.length === 1 && (only === 'result' || only === 'response');
  if (only === undefined || !isWrapped || only in properties) return response;
  const value = response[only] ?? null;
  if (typeof value !== 'string' || !isObjectSchema(schema)) return value;
  try {
    return fromFunctionResponse(schema, { id: '', name: '', response: parseUniqueJson(value) as JsonObject });
  } catch {
    return value;
  }
}
