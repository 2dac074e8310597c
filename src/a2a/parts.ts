import type { Message, Part } from '@a2a-js/sdk';
import { Role } from '@a2a-js/sdk';
import type { JsonObject } from '../core/index.ts';
import { isRecord } from '../core/index.ts';

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

export function textPart(text: string): Part {
  return { content: { $case: 'text', value: text }, mediaType: TEXT, filename: '', metadata: undefined };
}

export function dataPart(data: unknown, metadata?: Record<string, unknown>): Part {
  return { content: { $case: 'data', value: data }, mediaType: JSON_TYPE, filename: '', metadata };
}

/** The object that a part carries; undefined for any other part. */
export function dataOf(part: Part): JsonObject | undefined {
  const { content } = part;
  return content?.$case === 'data' && isRecord(content.value) ? (content.value as JsonObject) : undefined;
}

/** What the parts say in words. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap(({ content }) => (content?.$case === 'text' ? content.value : []))
    .filter((text) => text !== '')
    .join('\n');
}

/** Where a message belongs to, and who says it. */
export interface MessagePlace {
  readonly messageId: string;
  readonly contextId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly role: 'user' | 'agent';
}

/** A message with every member that the SDK's types want. */
export function a2aMessage(
  { messageId, contextId, taskId, role }: MessagePlace,
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
