import type { Issue } from './holdpoint-error.ts';
import { HoldpointError } from './holdpoint-error.ts';

/** An `INPUT_INVALID` that names the first issue and lists all issues. */
export function invalidInput(what: string, issues: readonly Issue[]): HoldpointError {
  const [first] = issues;
  const where = first === undefined ? '' : ` at ${first.pointer || 'the root'}: ${first.message}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new HoldpointError('INPUT_INVALID', `Invalid ${what}${where}${more}.`, { issues });
}

/** An `ANSWER_INVALID` that names the interrupt and the first issue, and lists all issues. */
export function invalidAnswer(interruptId: string, issues: readonly Issue[]): HoldpointError {
  const [first] = issues;
  const where = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  const sentence = `The answer to ${interruptId} does not fit${where}: ${first?.message ?? 'it is not valid'}.`;
  return new HoldpointError('ANSWER_INVALID', sentence, { issues });
}
