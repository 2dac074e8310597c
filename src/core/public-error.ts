import { defined } from './defined.ts';
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

/** The sentence of a store names a file, an address or a schema, so it goes to the logger only. */
const STORE_SENTENCE = 'The store cannot be used right now. Try again in a moment.';

/**
 * The code and the sentence of an error that a caller may see. `STORE_FAILED` has a fixed sentence; `INTERNAL` and
 * foreign errors have the sentence `internal`. The logger gets the error itself.
 */
export function publicError(error: unknown, internal: string): PublicError {
  if (!HoldpointError.is(error) || error.code === 'INTERNAL') return { code: 'INTERNAL', message: internal };
  const { code, message, issues, details } = error;
  if (code === 'STORE_FAILED') return { code, message: STORE_SENTENCE };
  return { code, message, ...defined({ details, issues: issues.length === 0 ? undefined : issues }) };
}

/** The sentence of a tool's or an agent's error, without internal details of a store. */
export function publicMessage(error: unknown): string {
  return HoldpointError.is(error, 'STORE_FAILED') ? STORE_SENTENCE : messageOf(error);
}
