import type { Message } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import type { ExecutionEventBus } from '@a2a-js/sdk/server';
import { AgentEvent } from '@a2a-js/sdk/server';
import type { Issue, JsonObject, JsonValue } from '../../core/index.ts';
import { newId } from '../../core/index.ts';
import type { SchemaLike } from '../../core/schema/index.ts';
import { compileJsonSchema, toJsonSchema } from '../../core/schema/index.ts';
import type { InputField } from '../fields.ts';
import { fromValues, schemaToFields } from '../fields.ts';
import type { InputRequest, InputResponse } from '../input-parts.ts';
import { requestPart, responsesIn } from '../input-parts.ts';
import { a2aMessage, textOf, textPart } from '../parts.ts';

/** What an executor asks a person for. */
export interface InputQuestion {
  /** What the person reads. */
  readonly text: string;
  readonly requestId?: string;
  readonly title?: string;
  readonly description?: string;
  /** What the answer must be; its members become the fields. */
  readonly schema?: SchemaLike;
  /** In place of a schema. */
  readonly fields?: readonly InputField[];
  readonly metadata?: JsonObject;
}

/** The task that asks; the `RequestContext` of an executor is one. */
export interface AskingTask {
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Publishes `input-required` with a text part and an `a2a.input.request` for each question. The executor returns after
 * it; the answer comes as the next message of the task, to be read with `readInput`.
 */
export function requestInput(
  eventBus: ExecutionEventBus,
  task: AskingTask,
  question: InputQuestion | readonly InputQuestion[],
): void {
  const { taskId, contextId } = task;
  const questions: readonly InputQuestion[] = isList(question) ? question : [question];
  const text = questions.map((one) => one.text).join('\n');
  const place = { messageId: newId(), taskId, contextId, role: 'agent' as const };
  const message = a2aMessage(place, [
    ...(text === '' ? [] : [textPart(text)]),
    ...questions.map((one) => requestPart(toRequest(one))),
  ]);
  const status = { state: TaskState.TASK_STATE_INPUT_REQUIRED, message, timestamp: new Date().toISOString() };
  eventBus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
}

function isList(question: InputQuestion | readonly InputQuestion[]): question is readonly InputQuestion[] {
  return Array.isArray(question);
}

/** A question as its data part says it. */
export function toRequest({ text: _said, schema, fields, metadata, ...named }: InputQuestion): InputRequest {
  const json = schema === undefined ? undefined : toJsonSchema(schema);
  const whole = typeof json === 'object' ? json : undefined;
  const listed = fields ?? (whole === undefined ? undefined : schemaToFields(whole));
  // A schema is JSON, whatever its type says.
  const more = whole === undefined ? metadata : { ...metadata, schema: whole as JsonObject };
  return {
    ...named,
    ...(listed === undefined ? {} : { fields: listed }),
    ...(more === undefined ? {} : { metadata: more }),
  };
}

/** What a message answers. */
export interface ReadInput {
  /** What it says in words. */
  readonly text: string;
  readonly responses: readonly InputResponse[];
  /** The answer to the request of this id, or to the only one. Undefined when there is none, or it was cancelled. */
  value(requestId?: string): JsonValue | undefined;
  isCancelled(requestId?: string): boolean;
  /** What is wrong with the answer, by the schema that was asked with. */
  check(schema: SchemaLike, requestId?: string): readonly Issue[];
}

/** Reads the `a2a.input.response` parts of a message. */
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
