import type { Message, Part } from '@a2a-js/sdk';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';

/** One input request of a paused task. It becomes one interrupt. */
export interface AskedRequest {
  /** The agent's id of the request, if it has one. */
  readonly requestId?: string;
  /** The request as the agent wrote it. */
  readonly request: JsonObject;
  /** The message of the interrupt, in place of the agent's text. Default: the text. */
  readonly message?: string;
  /** The message of the interrupt if the agent's message has no text. */
  readonly title?: string;
  /** The schema of the answer. Default: any JSON. */
  readonly responseSchema?: JsonSchemaObject;
  /** The call that the request asks to approve, or that asks for input; cards show it with its arguments. Default: none. */
  readonly call?: { readonly name: string; readonly args?: JsonValue };
  /** Further facts for cards, in place of the request itself. Default: none. */
  readonly details?: JsonObject;
}

/** The answer to one input request. */
export interface RequestAnswer {
  readonly asked: AskedRequest;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
  /** For a cancelled answer: what happened, in a sentence for the agent. */
  readonly reason?: string;
}

/** A form of input requests that a family of agents uses, and the form of their answers. */
export interface RequestDialect {
  /** Stored with each pause, so that the answer is written in the same dialect. */
  readonly name: string;
  /** Reads the requests of a pause from its message; returns undefined if the message has another form. */
  read(message: Message): readonly AskedRequest[] | undefined;
  /** Whether a part of a message that it read belongs to a request; other parts are shown as they are. Default: every data part. */
  asks?(part: Part): boolean;
  /** Writes the parts of the message that answers all requests of the pause. */
  write(answers: readonly RequestAnswer[]): readonly Part[];
}

/** The payload of an answer as JSON; null for a cancelled answer or one without payload. */
export function payloadOf({ status, payload }: RequestAnswer): JsonValue {
  return status === 'cancelled' || payload === undefined ? null : (payload as JsonValue);
}
