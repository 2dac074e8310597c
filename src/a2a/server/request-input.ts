import type { Message, Part } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { Issue, JsonObject, JsonValue } from '../../core/index.ts';
import { defined, newId } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import { compileJsonSchema, toJsonSchema } from '../../core/schema/index.ts';
import type { InputField } from '../fields.ts';
import { fromValues, schemaToFields } from '../fields.ts';
import type { InputRequest, InputResponse } from '../parts.ts';
import { a2aMessage, requestPart, responsesIn, textOf, textPart } from '../parts.ts';

/** A request for the input of a person. */
export interface RequestInputOptions {
  /** The text part, for clients that show text only. */
  readonly text: string;
  /** Names the request in its response. Default: none; needed for several requests at once. */
  readonly requestId?: string;
  /** Default: none. */
  readonly title?: string;
  /** Default: none. */
  readonly description?: string;
  /** The schema of the answer; its members become `fields`. Default: any answer. */
  readonly schema?: SchemaLike;
  /** The fields of the answer. Default: those of `schema`. */
  readonly fields?: readonly InputField[];
  /** Further members for the metadata of the request. Default: none. */
  readonly metadata?: JsonObject;
}

/** The ids of a task; the `RequestContext` of an executor has them. */
export interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Publishes `input-required` with a text part and an `a2a.input.request` for each request. Return from the executor after it: the
 * answer comes as the next message of the task; read it with {@link readInput}.
 *
 * @example
 * ```ts
 * import type { AgentExecutor } from '@a2a-js/sdk/server';
 * import { requestInput } from 'holdpoint/a2a';
 *
 * export const execute: AgentExecutor['execute'] = async (request, eventBus) => {
 *   requestInput(eventBus, request, { text: 'Which size?', requestId: 'size', schema: { type: 'integer' } });
 * };
 * ```
 */
export function requestInput(
  eventBus: ExecutionEventBus,
  task: TaskIds,
  request: RequestInputOptions | readonly RequestInputOptions[],
): void {
  const { taskId, contextId } = task;
  const ids = { messageId: newId(), taskId, contextId, role: 'agent' as const };
  const message = a2aMessage(ids, requestParts(isList(request) ? request : [request]));
  const status = { state: TaskState.TASK_STATE_INPUT_REQUIRED, message, timestamp: new Date().toISOString() };
  eventBus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
}

/** The parts of a message with requests: their texts, and an `a2a.input.request` for each. */
export function requestParts(requests: readonly RequestInputOptions[]): Part[] {
  const text = requests.map((one) => one.text).join('\n');
  return [...(text === '' ? [] : [textPart(text)]), ...requests.map((one) => requestPart(toRequest(one)))];
}

function isList(
  request: RequestInputOptions | readonly RequestInputOptions[],
): request is readonly RequestInputOptions[] {
  return Array.isArray(request);
}

function toRequest({ text: _text, schema, fields, metadata, ...named }: RequestInputOptions): InputRequest {
  const json = schema === undefined ? undefined : toJsonSchema(schema);
  const whole = typeof json === 'object' ? json : undefined;
  const listed = fields ?? (whole === undefined ? undefined : schemaToFields(whole));
  // A JSON Schema is JSON, although its type is wider.
  const more = whole === undefined ? metadata : { ...metadata, schema: whole as JsonObject };
  return {
    ...named,
    ...defined({ fields: listed, metadata: more }),
  };
}

/** The input in a message. */
export interface ReadInput {
  /** The text of the message. */
  readonly text: string;
  readonly responses: readonly InputResponse[];
  /** The answer to the request of this id. Default: the first answer. Undefined if it is missing or cancelled. */
  value(requestId?: string): JsonValue | undefined;
  /** Whether the request of this id was cancelled. Default: the first answer. */
  isCancelled(requestId?: string): boolean;
  /** The violations of the schema by the answer; empty for a valid answer. A missing answer counts as null. */
  check(schema: SchemaLike, requestId?: string): readonly Issue[];
}

/**
 * Reads the `a2a.input.response` parts of a message.
 *
 * @param schema The schema of the request. With it, `value` returns answers that are not objects as they are. Default: none; `value`
 *   returns the `values` of the response.
 * @example
 * ```ts
 * import type { Message, Part } from '@a2a-js/sdk';
 * import { readInput } from 'holdpoint/a2a';
 *
 * export const sizeOf = (message: Message) => readInput(message, { type: 'integer' }).value('size');
 * ```
 */
export function readInput(message: Message, schema?: SchemaLike): ReadInput {
  const responses = responsesIn(message.parts);
  const find = (requestId?: string) =>
    requestId === undefined ? responses[0] : responses.find((response) => response.requestId === requestId);
  const isCancelled = (requestId?: string) => find(requestId)?.metadata?.['cancelled'] === true;
  const valueBy = (by: SchemaLike | undefined, requestId?: string): JsonValue | undefined => {
    const response = find(requestId);
    if (response === undefined || isCancelled(requestId)) return undefined;
    return by === undefined ? response.values : fromValues(toJsonSchema(by), response.values);
  };
  return {
    text: textOf(message.parts),
    responses,
    isCancelled,
    value: (requestId) => valueBy(schema, requestId),
    check: (by, requestId) => compileJsonSchema(toJsonSchema(by)).validate(valueBy(by, requestId) ?? null),
  };
}
