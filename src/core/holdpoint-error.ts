import type { ErrorCode } from './error-codes.ts';

const brand = Symbol.for('holdpoint.error');

/** One thing that is wrong with a value: where (RFC 6901 pointer), and what was expected there. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

export interface HoldpointErrorOptions {
  /** What went wrong underneath; goes to the logger, never to the wire. */
  readonly cause?: unknown;
  /** What is wrong with a value, for `INPUT_INVALID` and `ANSWER_INVALID`. */
  readonly issues?: readonly Issue[];
  /** Facts a caller may show, such as who answered and when; JSON only. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class. `code` says what happened, `message` is a sentence with the ids in it.
 * Use {@link HoldpointError.is} rather than `instanceof`: it holds across copies of this package.
 */
export class HoldpointError extends Error {
  override readonly name = 'HoldpointError';
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: HoldpointErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
    this.details = options.details;
  }

  /** True for any copy's HoldpointError, and for the given code when there is one. */
  static is(value: unknown, code?: ErrorCode): value is HoldpointError {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return code === undefined || (value as HoldpointError).code === code;
  }
}
