import type { Part } from '@a2a-js/sdk';
import { approvalResponseSchema, cancelledText } from '../../content/interrupts/index.ts';
import type { JsonObject } from '../../core/index.ts';
import { isRecord } from '../../core/index.ts';
import { dataOf, dataPart } from '../parts.ts';
import type { AskedRequest, RequestAnswer, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

const CONFIRMATION = 'adk_request_confirmation';

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
  write: (answers) => answers.map(toResponse),
};

function isLongRunning({ metadata }: Part): boolean {
  return metadata?.['adk_type'] === 'function_call' && metadata['adk_is_long_running'] === true;
}

function toAsked(call: JsonObject): AskedRequest {
  const args = isRecord(call['args']) ? call['args'] : {};
  const confirmation = isRecord(args['toolConfirmation']) ? args['toolConfirmation'] : {};
  const hint = confirmation['hint'];
  const name = stringOf(call['name']);
  return {
    requestId: stringOf(call['id']),
    request: call,
    title: typeof hint === 'string' && hint !== '' ? hint : `${name} asks for input.`,
    ...(name === CONFIRMATION ? { responseSchema: approvalResponseSchema() } : {}),
  };
}

function toResponse(answer: RequestAnswer): Part {
  const { request, requestId } = answer.asked;
  const payload = payloadOf(answer);
  const name = stringOf(request['name']);
  const data = { id: requestId ?? '', name, response: responseOf(name, answer.status, payload) };
  return dataPart(data, { adk_type: 'function_response' });
}

function responseOf(name: string, status: RequestAnswer['status'], payload: unknown): JsonObject {
  if (name === CONFIRMATION) {
    return { confirmed: status === 'resolved' && isRecord(payload) && payload['approved'] === true };
  }
  if (status === 'cancelled') return { error: cancelledText(undefined) };
  return (isRecord(payload) ? payload : { result: payload }) as JsonObject;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
