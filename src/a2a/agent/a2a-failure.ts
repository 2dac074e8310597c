import type { ErrorCode } from '../../core/index.ts';
import { HoldpointError, isRecord, jsonOrText } from '../../core/index.ts';

/** An error response of an agent, as the SDK reports it. */
export interface Refusal {
  /** The reason by the specification, such as `TASK_NOT_FOUND`, or the HTTP status. */
  readonly reason: string;
  /** Whether the agent certainly did not carry the request out. */
  readonly definite: boolean;
  /** The HTTP status, if the response was no A2A error. */
  readonly status?: number;
}

/** The JSON-RPC code that does not tell whether the request was carried out. */
const INTERNAL_ERROR = -32603;

/** The agent, or the SDK, found the response invalid. The outcome of the request stays unknown. */
const INVALID_RESPONSE = 'INVALID_AGENT_RESPONSE';

/** Statuses after which the agent may still carry out the request: a timeout, or too early. */
const UNCERTAIN: ReadonlySet<number> = new Set([408, 425]);

/** Reads an error of the SDK; for errors in a stream the details are in `cause`. */
export function refusalOf(error: unknown): Refusal | undefined {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    const { reason, envelopeCode: code, statusCode } = at;
    const status = at['httpStatus'] ?? (typeof reason === 'string' ? undefined : statusCode);
    if (typeof status === 'number') {
      const definite = status >= 400 && status < 500 && !UNCERTAIN.has(status);
      return { reason: `HTTP ${status}`, definite, status };
    }
    // REST errors of 0.3 have neither a code nor a status.
    if (typeof reason === 'string')
      return { reason, definite: reason !== INVALID_RESPONSE && code !== INTERNAL_ERROR };
    if (typeof code === 'number') return { reason: `error ${code}`, definite: false };
  }
  return undefined;
}

export function isTaskGone(error: unknown): boolean {
  return refusalOf(error)?.reason === 'TASK_NOT_FOUND';
}

/** Error codes and reasons for statuses that any HTTP server may send. */
const STATUSES: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [401, ['UNAUTHENTICATED', 'it does not accept the credentials']],
  [403, ['FORBIDDEN', 'the credentials do not permit this request']],
  [404, ['AGENT_UNKNOWN', 'it does not exist at this address']],
  [429, ['RATE_LIMITED', 'it got too many requests']],
]);

function codeOf({ reason, definite, status }: Refusal): ErrorCode {
  const known = STATUSES.get(status ?? 0);
  if (known !== undefined) return known[0];
  if (reason === 'VERSION_NOT_SUPPORTED') return 'PROTOCOL_UNSUPPORTED';
  if (reason === 'CONTENT_TYPE_NOT_SUPPORTED') return 'UNSUPPORTED_MEDIA';
  return definite ? 'INPUT_INVALID' : 'TOOL_FAILED';
}

const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether the request failed before it reached a server. */
export function wasNeverSent(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    if (UNREACHABLE.has(at['code'])) return true;
  }
  return false;
}

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal === undefined ? isNetworkFailure(error) : refusal.status === 429 || !refusal.definite;
}

/** The error for a message whose arrival cannot be known. */
export function inDoubt(sentence: string, cause?: unknown): HoldpointError {
  return new HoldpointError('RUN_LOST', sentence, { cause, details: { inDoubt: true } });
}

export function isInDoubt(error: unknown): boolean {
  return HoldpointError.is(error, 'RUN_LOST') && error.details?.['inDoubt'] === true;
}

/** The `HoldpointError` for a failed call to an agent. The agent's own words are only in `cause`, for the logger. */
export function a2aFailure(agent: string, error: unknown): HoldpointError {
  if (HoldpointError.is(error)) return error;
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    const [, meaning] = STATUSES.get(refusal.status ?? 0) ?? [];
    const detail = meaning === undefined ? '' : `: ${meaning}`;
    const sentence = `The A2A agent ${agent} refused: ${refusal.reason}${detail}.`;
    return new HoldpointError(codeOf(refusal), sentence, { cause: error });
  }
  if (isNetworkFailure(error)) {
    return new HoldpointError('AGENT_UNKNOWN', `The A2A agent ${agent} cannot be reached.`, { cause: error });
  }
  return new HoldpointError('TOOL_FAILED', `The response of the A2A agent ${agent} is not valid A2A.`, {
    cause: error,
  });
}

/** `fetch` throws a TypeError with the reason in its cause, a broken body is `terminated`, and a timeout is a DOMException. */
function isNetworkFailure(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at.name === 'TimeoutError') return true;
    if (at instanceof TypeError && /fetch|terminated/.test(at.message)) return true;
    if ('code' in at && typeof at.code === 'string' && /^(?:E[A-Z]|UND_ERR)/.test(at.code)) return true;
  }
  return false;
}

/**
 * Throws for a response with a status 4xx that is no A2A error, with the status in `httpStatus`: the SDK reports it only in
 * words. The credentials and the rate are refused by servers in front of an agent, whatever the body says.
 */
export async function checkStatus(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  if (status < 400 || status >= 500) return response;
  const body = await response.text();
  if (![401, 403, 429].includes(status) && isA2aError(body)) {
    return new Response(body, { status, statusText, headers });
  }
  throw Object.assign(new Error(`HTTP ${status} ${statusText}: ${body.slice(0, 1000)}`), {
    httpStatus: status,
  });
}

/**
 * Whether the SDK reads the reason from a body: JSON-RPC and HTTP+JSON of 1.0 have `error`, HTTP+JSON of 0.3 has `code`, of which
 * the SDK knows those of A2A.
 */
function isA2aError(body: string): boolean {
  const read = jsonOrText(body);
  if (!isRecord(read)) return false;
  const { error, code } = read;
  return isRecord(error) || (typeof code === 'number' && code <= -32_001 && code >= -32_009);
}
