import type { ErrorCode } from '../../core/index.ts';
import { HoldpointError, isRecord } from '../../core/index.ts';

/** What an agent said instead of an answer, as far as its SDK tells. */
export interface Refusal {
  /** The reason of the specification, such as `TASK_NOT_FOUND`. */
  readonly reason: string;
  /** The request was not carried out, and will not be. */
  readonly definite: boolean;
}

/** JSON-RPC codes and HTTP states that say "not done": all but an internal error. */
const INTERNAL_ERROR = -32603;

/** Reads a failure of the SDK. The meaning of an error in a stream is in its cause. */
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

/** The code that a refusal has on our side. */
function codeOf({ reason, definite }: Refusal): ErrorCode {
  if (reason === 'VERSION_NOT_SUPPORTED') return 'PROTOCOL_UNSUPPORTED';
  if (reason === 'CONTENT_TYPE_NOT_SUPPORTED') return 'UNSUPPORTED_MEDIA';
  return definite ? 'INPUT_INVALID' : 'TOOL_FAILED';
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** There was nobody to send to. */
export function wasNeverSent(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 5; at = at['cause'], depth += 1) {
    if (UNREACHABLE.has(at['code'])) return true;
  }
  return false;
}

/** Any failure of a call to an agent, as an error of ours; what the agent wrote goes to the logger only. */
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
  return new HoldpointError('TOOL_FAILED', `The A2A agent ${agent} did not answer as A2A wants it.`, {
    cause: error,
  });
}

/** `fetch` throws a TypeError with the reason in its cause, and a timeout is a DOMException. */
function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.message.includes('fetch'));
}
