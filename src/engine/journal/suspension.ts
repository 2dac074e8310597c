const brand = Symbol.for('holdpoint.suspension');

/**
 * Unwinds the body of a tool that waits for a person. Let it pass: a body that catches it suspends all the same,
 * and the catch is reported.
 */
export class Suspension extends Error {
  override readonly name = 'HoldpointSuspension';
  readonly [brand] = true;

  constructor(what: string) {
    super(`${what} waits for an answer. This is not a failure: let it pass, or rethrow it.`);
  }
}

/** Whether an error is the signal that a tool waits; for a catch that has to let it pass. */
export function isSuspension(error: unknown): boolean {
  return typeof error === 'object' && error !== null && brand in error;
}
