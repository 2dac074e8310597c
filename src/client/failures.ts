import type { ErrorCode, Issue } from '../core/index.ts';
import { defined, HoldpointError, HTTP_STATUS, isRecord } from '../core/index.ts';
import type { RunErrorEvent } from '../protocol/index.ts';

/** Statuses with the same meaning on every server. */
const TELLING = new Set<number | null>([400, 401, 403, 404, 406, 413, 415, 429]);

/**
 * Reads the error of an HTTP response: `{error: {code, message, …}}` of a Holdpoint host, with the other members in
 * `details`; for other servers the code of the status, with the status in `details`.
 */
export async function readHttpError(response: Response): Promise<HoldpointError> {
  const { status } = response;
  const sent: unknown = await response.json().catch(() => undefined);
  const body = isRecord(sent) && isRecord(sent['error']) ? sent['error'] : undefined;
  const { code, message, issues, ...details } = body ?? {};
  const sentence = typeof message === 'string' ? message : `The server answered with status ${status}.`;
  const isOurs = isErrorCode(code);
  return new HoldpointError(isOurs ? code : codeFor(status), sentence, {
    details: isOurs ? details : { ...body, status },
    issues: isOurs && Array.isArray(issues) ? issues.filter(isIssue) : [],
  });
}

/** Turns a RUN_ERROR into an error; an unknown code becomes `INTERNAL` and stays in `details`. */
export function runFailure({ code, message, metadata }: RunErrorEvent): HoldpointError {
  const known = isErrorCode(code);
  const details = { ...metadata, ...defined({ code: known ? undefined : code }) };
  return new HoldpointError(known ? code : 'INTERNAL', message, { details });
}

/** True for a known error code. */
function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(HTTP_STATUS, code);
}

function codeFor(status: number): ErrorCode {
  if (!TELLING.has(status)) return status < 500 ? 'INPUT_INVALID' : 'INTERNAL';
  const codes = Object.entries(HTTP_STATUS) as [ErrorCode, number | null][];
  return codes.find(([, known]) => known === status)?.[0] ?? 'INTERNAL';
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value['pointer'] === 'string' && typeof value['message'] === 'string';
}

/** True when the server has no such route: by error code, or by status for other servers. */
export function isUnsupported(error: unknown): boolean {
  if (HoldpointError.is(error, 'NOT_FOUND')) return true;
  const status = HoldpointError.is(error) ? error.details?.['status'] : undefined;
  return status === 404 || status === 405 || status === 501;
}
