import { HoldpointError, kindOf } from '../../core/index.ts';

/** Bytes that are no AG-UI event. */
export function malformed(what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `The binary event is malformed: ${what}.`, { cause });
}

/** An event that has no binary form. */
export function notEncodable(what: string): HoldpointError {
  return new HoldpointError('INPUT_INVALID', `The event has no binary form: ${what}.`);
}

/** An event, part, source or patch operation whose name has no binary form. */
export function notNamed(what: string, name: unknown): HoldpointError {
  return notEncodable(
    `there is no ${what} ${typeof name === 'string' ? JSON.stringify(name) : `named by ${kindOf(name)}`}`,
  );
}
