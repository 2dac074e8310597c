import { formatSSEErrorEvent, formatSSEEvent } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { JsonRpcTransportHandler } from '@a2a-js/sdk/server';
import type { UnknownRecord } from '../../core/index.ts';
import { HoldpointError, isRecord, messageOf, parseUniqueJson } from '../../core/index.ts';
import { isLegacyVersion } from './agent-card.ts';
import { readerOf } from './context-access.ts';
import { streamResponse } from './stream-response.ts';

/** A JSON-RPC request. */
export interface JsonRpcRequest {
  readonly body: string;
  /** The media type of the body; empty without one. */
  readonly mediaType: string;
}

/** Answers one JSON-RPC request, in the version of its context. `assertVersion` throws for a version that the card does not list. */
export type JsonRpcRoute = (
  request: JsonRpcRequest,
  context: ServerCallContext,
  assertVersion: () => void,
) => Promise<Response>;

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export function jsonRpcRoute(handler: A2ARequestHandler): JsonRpcRoute {
  const current = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  return async ({ body, mediaType }, context, assertVersion) => {
    const isLegacy = isLegacyVersion(context.requestedVersion);
    const toError = (error: unknown) =>
      isLegacy
        ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error)
        : JsonRpcTransportHandler.mapToJSONRPCError(error);
    const isJson = mediaType === '' || mediaType === 'application/json';
    const unsupported = () => {
      const error = new ContentTypeNotSupportedError(`The body must be application/json, not ${mediaType}.`);
      return JsonRpcTransportHandler.mapToJSONRPCError(error);
    };
    let request: unknown;
    try {
      request = parseUniqueJson(body);
    } catch (error) {
      const isSyntax = HoldpointError.is(error) && error.cause instanceof SyntaxError;
      if (!isJson) return failure(null, unsupported());
      if (isSyntax) return failure(null, { code: PARSE_ERROR, message: 'The body is not JSON.' });
      return failure(lastIdOf(body), toError(new RequestMalformedError(messageOf(error))));
    }
    const id = idOf(request);
    if (!isJson) return failure(id, unsupported());
    if (!isRequest(request))
      return failure(id, { code: INVALID_REQUEST, message: 'The body is not a JSON-RPC 2.0 request.' });
    try {
      assertVersion();
      const answer: unknown = await (isLegacy ? legacy : current).handle(request, context);
      if (!isStream(answer)) return Response.json(answer);
      const form = {
        frame: (event: unknown) => formatSSEEvent(isLegacy ? withFinal(event) : event),
        refuse: (error: unknown) => failure(id, toError(error)),
        failed: (error: unknown) => formatSSEErrorEvent({ jsonrpc: '2.0', id, error: toError(error) }),
      };
      return await streamResponse(answer, form, readerOf(context));
    } catch (error) {
      return failure(id, toError(error));
    }
  };
}

/** A JSON-RPC error for a request whose id is not known. */
export function jsonRpcFailure(error: unknown): Response {
  return failure(null, JsonRpcTransportHandler.mapToJSONRPCError(error));
}

function failure(id: string | number | null, error: unknown): Response {
  return Response.json({ jsonrpc: '2.0', id, error });
}

function isRequest(request: unknown): request is UnknownRecord & { readonly method: string } {
  if (!isRecord(request) || request['jsonrpc'] !== '2.0') return false;
  const { id = null, method } = request;
  return typeof method === 'string' && method !== '' && id === idOf(request);
}

/** The id of a request; null for an id of another type. */
function idOf(request: unknown): string | number | null {
  const id: unknown = isRecord(request) ? request['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}

/** The id in a body with a duplicate member. */
function lastIdOf(body: string): string | number | null {
  return idOf(JSON.parse(body));
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return isRecord(value) && Symbol.asyncIterator in value;
}

/** Sets `final` on a pause, because a stream of 0.3 ends there; the SDK sets it only at the end of a task. */
function withFinal(event: unknown): unknown {
  const result = isRecord(event) ? event['result'] : undefined;
  if (!isRecord(event) || !isRecord(result) || result['kind'] !== 'status-update') return event;
  const status = result['status'];
  if (!isRecord(status) || status['state'] !== 'input-required') return event;
  return { ...event, result: { ...result, final: true } };
}
