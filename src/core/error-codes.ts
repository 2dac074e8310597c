/** Every error code with its HTTP status. `null` marks codes that only end a run and never answer a request. */
export const HTTP_STATUS = {
  INPUT_INVALID: 400,
  PROTOCOL_UNSUPPORTED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  ANSWER_FORBIDDEN: 403,
  AGENT_UNKNOWN: 404,
  THREAD_UNKNOWN: 404,
  INTERRUPT_UNKNOWN: 404,
  NOT_FOUND: 404,
  NOT_ACCEPTABLE: 406,
  INTERRUPTS_PENDING: 409,
  INTERRUPTS_UNANSWERED: 409,
  INTERRUPT_CONFLICT: 409,
  RUN_CONFLICT: 409,
  TOOL_UNKNOWN: 409,
  JOURNAL_MISMATCH: 409,
  INTERRUPT_EXPIRED: 410,
  TOO_LARGE: 413,
  UNSUPPORTED_MEDIA: 415,
  ANSWER_INVALID: 422,
  RATE_LIMITED: 429,
  STORE_FAILED: 503,
  UNAVAILABLE: 503,
  RUN_LOST: null,
  ANSWER_CANCELLED: null,
  MAX_TURNS: null,
  MODEL_FAILED: null,
  TOOL_FAILED: null,
  INTERNAL: null,
} as const satisfies Record<string, number | null>;

/** The code of a {@link HoldpointError}; callers branch on the code, never on the message. */
export type ErrorCode = keyof typeof HTTP_STATUS;

/** The HTTP status of a code; 500 for a code that only ends runs. */
export function httpStatusOf(code: ErrorCode): number {
  return HTTP_STATUS[code] ?? 500;
}
