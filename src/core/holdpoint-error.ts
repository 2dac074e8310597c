import { defined } from './defined.ts';
import type { ErrorCode } from './error-codes.ts';

const brand = Symbol.for('holdpoint.error');

/** One issue of a value: its position (RFC 6901 pointer) and the expected value. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** Options of a {@link HoldpointError}. */
export interface HoldpointErrorOptions {
  /** The underlying error; goes to the logger, never to the wire. */
  readonly cause?: unknown;
  /** The issues of a value, for `INPUT_INVALID` and `ANSWER_INVALID`. */
  readonly issues?: readonly Issue[];
  /** Facts a caller may show, such as who answered and when; JSON only. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class. `code` says what happened, `message` is a sentence with the ids in it. Use {@link
 * HoldpointError.is} instead of `instanceof`: it works across copies of this package.
 *
 * @example
 * ```ts
 * import { HoldpointError } from 'holdpoint';
 *
 * try {
 *   await run.finished;
 * } catch (error) {
 *   if (HoldpointError.is(error, 'RUN_LOST')) reconnect();
 *   else throw error;
 * }
 * ```
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

  /** True for a HoldpointError of any copy of this package; with a code, only for that code. */
  static is(value: unknown, code?: ErrorCode): value is HoldpointError {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return code === undefined || (value as HoldpointError).code === code;
  }
}

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

/** The message of any thrown value, also of one whose message cannot be read. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'The error has no message that can be read.';
  }
}
