import type { Part } from '@a2a-js/sdk';
import type { JsonObject } from '../core/index.ts';
import { isRecord } from '../core/index.ts';
import type { InputField } from './fields.ts';
import { dataOf, dataPart } from './parts.ts';

export const REQUEST_TYPE = 'a2a.input.request';
export const RESPONSE_TYPE = 'a2a.input.response';

/** What an agent asks a person for, in the data part of an `input-required` message. */
export interface InputRequest {
  readonly requestId?: string;
  readonly title?: string;
  readonly description?: string;
  readonly fields?: readonly InputField[];
  /** `schema` is the whole response schema, for readers that want more than the fields. */
  readonly metadata?: JsonObject;
}

/** What a person answered, in the data part of the message that goes on with the task. */
export interface InputResponse {
  readonly requestId?: string;
  readonly values: JsonObject;
  /** `cancelled: true` says that nobody will answer. */
  readonly metadata?: JsonObject;
}

export function requestPart(request: InputRequest): Part {
  return dataPart({ type: REQUEST_TYPE, ...request });
}

export function responsePart(response: InputResponse): Part {
  return dataPart({ type: RESPONSE_TYPE, ...response });
}

/** The requests among the parts, as they were written. */
export function requestsIn(parts: readonly Part[]): JsonObject[] {
  return parts.flatMap((part) => {
    const data = dataOf(part);
    return data?.['type'] === REQUEST_TYPE ? [data] : [];
  });
}

/** The responses among the parts; what has no `values` counts as having none. */
export function responsesIn(parts: readonly Part[]): InputResponse[] {
  return parts.flatMap((part) => {
    const data = dataOf(part);
    if (data?.['type'] !== RESPONSE_TYPE) return [];
    const { requestId, values, metadata } = data;
    return [
      {
        ...(typeof requestId === 'string' ? { requestId } : {}),
        values: isRecord(values) ? values : {},
        ...(isRecord(metadata) ? { metadata } : {}),
      },
    ];
  });
}
