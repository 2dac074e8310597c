import type { ErrorCode, Issue, UnknownRecord } from '../core/basics/index.ts';
import { HoldpointError, isRecord } from '../core/basics/index.ts';
import { HTTP_STATUS } from '../core/codes/index.ts';
import type { RunErrorEvent } from '../protocol/index.ts';

/** Statuses that mean the same wherever they come from. */
const TELLING = new Set<number | null>([400, 401, 403, 404, 406, 413, 415, 429]);

/**
 * The error that an HTTP answer is: `{error: {code, message, …}}` of a Holdpoint host, with whatever else it
 * says in `details`; of any other server the code that its status has, and the status in `details`.
 */
export async function readHttpError(response: Response): Promise<HoldpointError> {
  const { status } = response;
  const told = errorIn(await response.text().catch(() => ''));
  const { code, message, issues, ...details } = told ?? {};
  const sentence = typeof message === 'string' ? message : `The server answered with the status ${status}.`;
  if (!isErrorCode(code))
    return new HoldpointError(codeFor(status), sentence, { details: { ...told, status } });
  return new HoldpointError(code, sentence, {
    details,
    ...(Array.isArray(issues) ? { issues: issues.filter(isIssue) } : {}),
  });
}

/** A RUN_ERROR as an error of ours: a code that callers do not know is `INTERNAL`, and is kept in `details`. */
export function runFailure({ code, message, metadata }: RunErrorEvent): HoldpointError {
  const known = isErrorCode(code);
  const details = { ...metadata, ...(known || code === undefined ? {} : { code }) };
  return new HoldpointError(known ? code : 'INTERNAL', message, { details });
}

/** Whether a server's word is one of the codes that callers know. */
function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(HTTP_STATUS, code);
}

function errorIn(text: string): UnknownRecord | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) && isRecord(body['error']) ? body['error'] : undefined;
  } catch {
    return undefined;
  }
}

function codeFor(status: number): ErrorCode {
  if (!TELLING.has(status)) return status < 500 ? 'INPUT_INVALID' : 'INTERNAL';
  return (
    Object.keys(HTTP_STATUS)
      .filter(isErrorCode)
      .find((code) => HTTP_STATUS[code] === status) ?? 'INTERNAL'
  );
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value['pointer'] === 'string' && typeof value['message'] === 'string';
}

/** Whether the server has no such route: our code, or the status of a server that has no codes of ours. */
export function isUnsupported(error: unknown): boolean {
  if (HoldpointError.is(error, 'NOT_FOUND')) return true;
  const status = HoldpointError.is(error) ? error.details?.['status'] : undefined;
  return status === 404 || status === 405 || status === 501;
}
