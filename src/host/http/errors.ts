import { HoldpointError, httpStatusOf, publicError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { CHALLENGE } from '../../ledger/index.ts';

/** Milliseconds after which a client may try again, for an error that does not say it. */
const RETRY_AFTER_MS = 1000;

/** The error on the wire: messages of our own errors, never those of others. */
export function errorResponse(error: unknown): Response {
  const shown = publicError(error, 'Something went wrong.');
  const status = httpStatusOf(shown.code);
  const { retryAfterMs = RETRY_AFTER_MS } = shown.details ?? {};
  const headers = {
    ...(status === 401 ? CHALLENGE : {}),
    ...(status === 429 || status === 503
      ? { 'retry-after': String(Math.ceil(Number(retryAfterMs) / 1000)) }
      : {}),
  };
  return Response.json({ error: shown }, { status, headers });
}

/** Errors of the ledger are sent as an event of the run, so that every client shows them and keeps its interrupts. */
const LEDGER_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INTERRUPTS_PENDING',
  'INTERRUPTS_UNANSWERED',
  'INTERRUPT_UNKNOWN',
  'INTERRUPT_CONFLICT',
  'INTERRUPT_EXPIRED',
  'ANSWER_INVALID',
  'ANSWER_FORBIDDEN',
  'RUN_CONFLICT',
  'RUN_LOST',
  'TOOL_UNKNOWN',
]);

export function isLedgerRefusal(error: unknown): error is HoldpointError {
  return HoldpointError.is(error) && LEDGER_CODES.has(error.code);
}
