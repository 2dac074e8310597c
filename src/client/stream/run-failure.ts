import { HoldpointError } from '../../core/index.ts';
import type { RunErrorEvent } from '../../protocol/index.ts';
import { isErrorCode } from '../http-error.ts';

/** A RUN_ERROR as an error of ours: a code that callers do not know is `INTERNAL`, and is kept in `details`. */
export function runFailure({ code, message, metadata }: RunErrorEvent): HoldpointError {
  const known = isErrorCode(code);
  const details = { ...metadata, ...(known || code === undefined ? {} : { code }) };
  return new HoldpointError(known ? code : 'INTERNAL', message, { details });
}
