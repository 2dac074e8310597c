import { approvalResponseSchema } from '../../content/interrupts/index.ts';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { defined, isRecord, jsonOrText } from '../../core/index.ts';
import type { JsonSchemaObject } from '../../core/schema/index.ts';
import { dataOf, dataPart, textOf, textPart } from '../parts.ts';
import type { AskedRequest, RequestAnswer, RequestDialect } from './request-dialect.ts';
import { payloadOf } from './request-dialect.ts';

/** The text that Mastra writes if the tool gave none. */
const PLACEHOLDER = 'Additional input is required to continue this task.';

/**
 * Mastra: the request is a data part with `suspendPayload`, which names the tool and its arguments; the answer is a data part that
 * holds the payload itself. A tool that waits for an approval has no suspend payload of its own.
 */
export const mastraDialect: RequestDialect = {
  name: 'mastra',
  read(message) {
    const request = message.parts
      .map(dataOf)
      .find((data) => data !== undefined && ('suspendPayload' in data || 'resumeSchema' in data));
    if (request === undefined) return undefined;
    return [toAsked(request, textOf(message.parts) === PLACEHOLDER)];
  },
  asks(part) {
    const data = dataOf(part);
    return data !== undefined && ('suspendPayload' in data || 'resumeSchema' in data);
  },
  write: (answers) =>
    answers.slice(0, 1).map((answer) => {
      const response = responseOf(answer);
      // Mastra accepts only objects as data, and reads JSON from a text.
      return isRecord(response) ? dataPart(response) : textPart(JSON.stringify(response));
    }),
};

function toAsked(request: JsonObject, isSilent: boolean): AskedRequest {
  const payload = request['suspendPayload'];
  const suspended = isRecord(payload) ? payload : {};
  const { toolName, args, suspendPayload: own } = suspended;
  const isCall = typeof toolName === 'string';
  const shown = isCall ? own : payload;
  return {
    request,
    ...defined({
      responseSchema: isApproval(request)
        ? approvalResponseSchema()
        : schemaOf(request['resumeSchema'] ?? suspended['resumeSchema']),
      call: isCall ? { name: toolName, args: (args ?? {}) as JsonValue } : undefined,
      details: isRecord(shown) ? withoutMessage(shown) : undefined,
      message: isSilent && isCall ? silentMessage(toolName, isApproval(request)) : undefined,
    }),
  };
}

function silentMessage(tool: string, asksForApproval: boolean): string {
  return asksForApproval ? `May ${tool} go ahead?` : `${tool} asks for input.`;
}

/** The message is already the message of the interrupt. */
function withoutMessage({ message: _shown, ...rest }: Readonly<Record<string, unknown>>): JsonObject {
  return rest as JsonObject;
}

function isApproval({ suspendPayload }: JsonObject): boolean {
  if (!isRecord(suspendPayload)) return false;
  return typeof suspendPayload['toolCallId'] === 'string' && suspendPayload['suspendPayload'] === undefined;
}

/** Mastra reads `approved` of an approval and rejects other members. */
function responseOf(answer: RequestAnswer): JsonValue {
  const payload = payloadOf(answer);
  if (!isApproval(answer.asked.request)) return payload;
  return { approved: isRecord(payload) && payload['approved'] === true };
}

/** Reads a schema that is an object or its JSON text. */
function schemaOf(given: unknown): JsonSchemaObject | undefined {
  const schema = typeof given === 'string' ? jsonOrText(given) : given;
  return isRecord(schema) ? schema : undefined;
}
