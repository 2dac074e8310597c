import { HoldpointError, kindOf } from '../../core/index.ts';

/** The error for bytes that are not an AG-UI event. */
export function malformed(what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `The binary event is malformed: ${what}.`, { cause });
}

/** The error for an event without a binary form. */
export function notEncodable(what: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `The event has no binary form: ${what}.`);
}

/** The error for an event, part, source or patch operation whose name has no binary form. */
export function notNamed(what: string, name: unknown): HoldpointError {
  return notEncodable(
    `there is no ${what} ${typeof name === 'string' ? JSON.stringify(name) : `named by ${kindOf(name)}`}`,
  );
}
