import { defined, isRecord, jsonCopy } from '../core/index.ts';
import { isStandardSchema, toJsonSchema } from '../core/schema/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import { InterruptReason } from '../protocol/index.ts';

/** A value that a framework asks a person for. */
export interface InputToAsk {
  /** The id of the interrupt. */
  readonly id: string;
  readonly callId?: string | undefined;
  /** The message, if `details` has none. */
  readonly message?: string | undefined;
  /** Schema of the answer: JSON Schema, a Standard Schema, or a schema of the AI SDK. */
  readonly schema?: unknown;
  /** The value that the agent gave when it asked. Its members that AG-UI has are those of the interrupt. */
  readonly details?: unknown;
  /** Shown with the interrupt. Default: `details`. */
  readonly payload?: unknown;
  /** Further metadata of the interrupt, for the adapter. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The interrupt that asks for a value. */
export function inputInterrupt({ id, callId, details, payload, metadata, ...input }: InputToAsk): Interrupt {
  const given = isRecord(details) ? details : { message: details };
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const reason = text('reason');
  // A reason of AG-UI is a name. Mastra shows sentences: `suspend({ reason: 'Human approval required.' })`.
  const isSentence = reason !== undefined && /\s/.test(reason.trim());
  const words = isSentence ? reason : undefined;
  return {
    id,
    reason: isSentence ? InterruptReason.InputRequired : (reason ?? InterruptReason.InputRequired),
    ...defined({
      message: text('message') ?? text('question') ?? text('prompt') ?? words ?? input.message,
      toolCallId: callId ?? text('toolCallId'),
      expiresAt: text('expiresAt'),
      responseSchema: jsonSchemaOf(input.schema ?? given['responseSchema']),
    }),
    metadata: {
      ...(isRecord(given['metadata']) ? given['metadata'] : {}),
      payload: jsonCopy(payload ?? details ?? null),
      ...metadata,
    },
  };
}

function jsonSchemaOf(schema: unknown): Record<string, unknown> | undefined {
  // A schema of the AI SDK has its JSON Schema inside.
  if (isRecord(schema) && isRecord(schema['jsonSchema'])) return schema['jsonSchema'];
  const json: unknown = isStandardSchema(schema) ? toJsonSchema(schema) : schema;
  return isRecord(json) ? { ...json } : undefined;
}
