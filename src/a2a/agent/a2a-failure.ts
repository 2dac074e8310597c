import type { ErrorCode } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';

/** An error response of an agent, as the SDK reports it. */
export interface Refusal {
  /** The reason by the specification, such as `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** Whether the agent certainly did not carry the request out. */
  readonly definite: boolean;
}

/** The JSON-RPC code that does not tell whether the request was carried out. */
const INTERNAL_ERROR = -32603;

/** Reads an error of the SDK; for errors in a stream the details are in `cause`. */
export function refusalOf(error: unknown): Refusal | undefined {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    const code = at['envelopeCode'];
    const status = at['statusCode'];
    if (typeof at['reason'] !== 'string' || (typeof code !== 'number' && typeof status !== 'number'))
      continue;
    const definite = typeof code === 'number' ? code !== INTERNAL_ERROR : Number(status) < 500;
    return { reason: at['reason'], definite };
  }
  return undefined;
}

export function isTaskGone(error: unknown): boolean {
  return refusalOf(error)?.reason === 'TASK_NOT_FOUND';
}

function codeOf({ reason, definite }: Refusal): ErrorCode {
  if (reason === 'VERSION_NOT_SUPPORTED') return 'PROTOCOL_UNSUPPORTED';
  if (reason === 'CONTENT_TYPE_NOT_SUPPORTED') return 'UNSUPPORTED_MEDIA';
  return definite ? 'INPUT_INVALID' : 'TOOL_FAILED';
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Whether the request failed before it reached a server. */
export function wasNeverSent(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    if (UNREACHABLE.has(at['code'])) return true;
  }
  return false;
}

/** The `HoldpointError` for a failed call to an agent. The agent's own words are only in `cause`, for the logger. */
export function a2aFailure(agent: string, error: unknown): HoldpointError {
  if (HoldpointError.is(error)) return error;
  const refusal = refusalOf(error);
  if (refusal !== undefined) {
    const sentence = `The A2A agent ${agent} refused: ${refusal.reason}.`;
    return new HoldpointError(codeOf(refusal), sentence, { cause: error });
  }
  if (isNetworkFailure(error)) {
    return new HoldpointError('AGENT_UNKNOWN', `The A2A agent ${agent} cannot be reached.`, { cause: error });
  }
  return new HoldpointError('TOOL_FAILED', `The response of the A2A agent ${agent} is not valid A2A.`, {
    cause: error,
  });
}

/** `fetch` throws a TypeError with the reason in its cause, and a timeout is a DOMException. */
function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.message.includes('fetch'));
}
