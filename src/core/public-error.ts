import type { ErrorCode } from './error-codes.ts';
import type { Issue } from './holdpoint-error.ts';
import { HoldpointError } from './holdpoint-error.ts';
import { messageOf } from './message-of.ts';

/** The part of an error that a caller may read. */
export interface PublicError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A store's own sentence names a file, an address or a schema: it is for the logger. */
const STORE_SENTENCE = 'The store cannot be used right now. Try again in a moment.';

/**
 * The code and the sentence that an error shows to a caller. `STORE_FAILED` has one fixed sentence, and `INTERNAL` and errors of
 * other code have `internal`; the logger gets the error itself.
 */
export function publicError(error: unknown, internal: string): PublicError {
  if (!HoldpointError.is(error) || error.code === 'INTERNAL') return { code: 'INTERNAL', message: internal };
  const { code, message, issues, details } = error;
  if (code === 'STORE_FAILED') return { code, message: STORE_SENTENCE };
  return {
    code,
    message,
    ...(details === undefined ? {} : { details }),
    ...(issues.length === 0 ? {} : { issues }),
  };
}

/** The sentence of whatever a tool or an agent threw, without a store's own words about itself. */
export function publicMessage(error: unknown): string {
  return HoldpointError.is(error, 'STORE_FAILED') ? STORE_SENTENCE : messageOf(error);
}
