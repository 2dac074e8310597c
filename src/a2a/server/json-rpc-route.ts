import { formatSSEErrorEvent, formatSSEEvent } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import { HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import { streamResponse } from './stream-response.ts';

/** Answers one JSON-RPC request. */
export type JsonRpcRoute = (body: string, context: ServerCallContext) => Promise<Response>;

export function jsonRpcRoute(handler: A2ARequestHandler): JsonRpcRoute {
  const transport = new JsonRpcTransportHandler(handler);
  return async (body, context) => {
    assertUnique(body);
    const answer: unknown = await transport.handle(body, context);
    if (!isStream(answer)) return Response.json(answer);
    const id = requestIdOf(body);
    const failure = (error: unknown) => ({
      jsonrpc: '2.0',
      id,
      error: JsonRpcTransportHandler.mapToJSONRPCError(error),
    });
    return streamResponse(answer, {
      frame: formatSSEEvent,
      refuse: (error) => Response.json(failure(error)),
      failed: (error) => formatSSEErrorEvent(failure(error)),
    });
  };
}

/** A JSON-RPC error without a request id. */
export function jsonRpcFailure(error: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) });
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && Symbol.asyncIterator in value;
}

/** Throws `RequestMalformedError` for a body that has a member twice. The SDK itself rejects a body that is not JSON. */
function assertUnique(body: string): void {
  try {
    parseUniqueJson(body);
  } catch (error) {
    if (HoldpointError.is(error) && error.cause instanceof SyntaxError) return;
    throw new RequestMalformedError(messageOf(error));
  }
}

function requestIdOf(body: string): unknown {
  try {
    const request: unknown = JSON.parse(body);
    return isRecord(request) ? (request['id'] ?? null) : null;
  } catch {
    return null;
  }
}
