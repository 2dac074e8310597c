import { HoldpointError, httpStatusOf, publicError } from '../../core/index.ts';
import type { ErrorCode } from '../../core/index.ts';

/** What an error says on the wire: our own sentences, and nothing of anyone else's. */
export function errorBody(error: unknown): { readonly status: number; readonly body: object } {
  const shown = publicError(error, 'Something went wrong.');
  return { status: httpStatusOf(shown.code), body: { error: shown } };
}

/** What the ledger refuses is told as an event of the run, so that every client shows it and keeps its questions. */
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
