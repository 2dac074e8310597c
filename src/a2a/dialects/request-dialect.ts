import type { Message, Part } from '@a2a-js/sdk';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';

/** One question of a pause. */
export interface AskedRequest {
  /** The agent's own name for it. */
  readonly requestId?: string;
  /** The request as the agent wrote it. */
  readonly request: JsonObject;
  /** What to show where the message itself says nothing. */
  readonly title?: string;
  readonly responseSchema?: JsonSchemaObject;
}

/** An answer to one of them. */
export interface RequestAnswer {
  readonly asked: AskedRequest;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

/** How a family of agents asks for input, and how it wants to be answered. */
export interface RequestDialect {
  readonly name: string;
  /** The questions in the message of a pause; undefined when it is not of this form. */
  read(message: Message): readonly AskedRequest[] | undefined;
  /** The parts of the message that answers all of them. */
  write(answers: readonly RequestAnswer[]): readonly Part[];
}

/** An answer as JSON; nothing is null. */
export function payloadOf({ status, payload }: RequestAnswer): JsonValue {
  return status === 'cancelled' || payload === undefined ? null : (payload as JsonValue);
}
