import type { Message, Part } from '@a2a-js/sdk';
import { Role } from '@a2a-js/sdk';
import type { JsonObject } from '../core/index.ts';
import { fromBase64, isRecord } from '../core/index.ts';
import type { InputField } from './fields.ts';

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

export function textPart(text: string): Part {
  return { content: { $case: 'text', value: text }, mediaType: TEXT, filename: '', metadata: undefined };
}

export function dataPart(data: unknown, metadata?: Record<string, unknown>): Part {
  return { content: { $case: 'data', value: data }, mediaType: JSON_TYPE, filename: '', metadata };
}

/** A file: its address, or its bytes in base64. */
export function filePart(
  file: ({ readonly url: string } | { readonly bytes: string }) & {
    readonly filename: string;
    readonly mediaType: string;
  },
): Part {
  const { filename, mediaType } = file;
  const rest = { filename, mediaType, metadata: undefined };
  if ('url' in file) return { ...rest, content: { $case: 'url', value: file.url } };
  // The SDK declares a Node Buffer but accepts any bytes.
  const value = fromBase64(file.bytes) as Uint8Array as RawBytes;
  return { ...rest, content: { $case: 'raw', value } };
}

type RawBytes = Extract<Part['content'], { $case: 'raw' }>['value'];

/** The object in a data part; undefined for other parts. */
export function dataOf(part: Part): JsonObject | undefined {
  const { content } = part;
  return content?.$case === 'data' && isRecord(content.value) ? (content.value as JsonObject) : undefined;
}

/** The text of the text parts, one line for each. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap(({ content }) => (content?.$case === 'text' ? content.value : []))
    .filter((text) => text !== '')
    .join('\n');
}

/** The ids and the role of a message. */
export interface MessageIds {
  readonly messageId: string;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly role: 'user' | 'agent';
}

/** A message with all members that the SDK's type requires. */
export function a2aMessage(
  { messageId, contextId, taskId, role }: MessageIds,
  parts: readonly Part[],
): Message {
  return {
    messageId,
    contextId: contextId ?? '',
    taskId: taskId ?? '',
    role: role === 'user' ? Role.ROLE_USER : Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const REQUEST_TYPE = 'a2a.input.request';
const RESPONSE_TYPE = 'a2a.input.response';

/** A data part of an `input-required` message: a request for the input of a person. */
export interface InputRequest {
  /** Names the request in its response. Default: none; then the response must be the only one. */
  readonly requestId?: string;
  readonly title?: string;
  readonly description?: string;
  /** The fields of the answer. Default: a text. */
  readonly fields?: readonly InputField[];
  /** `schema` holds the whole response schema. */
  readonly metadata?: JsonObject;
}

/** A data part of the message that continues the task: the answer of a person. */
export interface InputResponse {
  /** The `requestId` of the request. */
  readonly requestId?: string;
  readonly values: JsonObject;
  /** `cancelled: true` cancels the request. */
  readonly metadata?: JsonObject;
}

export function requestPart(request: InputRequest): Part {
  return dataPart({ type: REQUEST_TYPE, ...request });
}

export function responsePart(response: InputResponse): Part {
  return dataPart({ type: RESPONSE_TYPE, ...response });
}

/** The input requests in the parts, unchanged. */
export function requestsIn(parts: readonly Part[]): JsonObject[] {
  return parts.flatMap((part) => {
    const data = dataOf(part);
    return data?.['type'] === REQUEST_TYPE ? [data] : [];
  });
}

/** The input responses in the parts; missing `values` become `{}`. */
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
