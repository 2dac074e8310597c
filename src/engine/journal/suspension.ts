const brand = Symbol.for('holdpoint.suspension');

class Suspension extends Error {
  override readonly name = 'HoldpointSuspension';
  readonly [brand] = true;
}

/**
 * Unwinds the body of a tool that waits for a person. Let it pass: a body that catches it suspends all the same,
 * and the catch is reported. There is one: it says nothing that differs, and a stack trace each time would cost more than
 * the rest of a pause.
 */
export const SUSPENSION: Error = new Suspension(
  'The tool waits for an answer. This is not a failure: let it pass, or rethrow it.',
);

/** Whether an error is the signal that a tool waits; for a catch that has to let it pass. */
export function isSuspension(error: unknown): boolean {
  return typeof error === 'object' && error !== null && brand in error;
}
