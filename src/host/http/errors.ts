import { defined, HoldpointError, httpStatusOf, publicError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { errorHeaders } from '../../ledger/index.ts';

/** The error on the wire: messages of our own errors, never those of others. `signIn`: the page for `UNAUTHENTICATED`. */
export function errorResponse(error: unknown, signIn?: string): Response {
  const shown = publicError(error, 'Something went wrong.');
  const status = httpStatusOf(shown.code);
  const where = shown.code === 'UNAUTHENTICATED' ? defined({ signIn }) : {};
  const headers = errorHeaders(status, shown.details?.['retryAfterMs']);
  return Response.json({ error: { ...shown, ...where } }, { status, headers });
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
