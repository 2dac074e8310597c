import type { CallState } from '../calls/call-state.ts';
import type { CallToRun } from '../calls/call-to-run.ts';
import type { RunContext } from '../calls/run-context.ts';
import { checkEdits, holdCall } from './hold-call.ts';

/** How a call is made that may be made. */
export interface MakesCalls {
  /** The agent wants every call approved that its tool does not exempt. */
  readonly requireApproval: boolean;
  /** Makes the call, now that it may be made. */
  readonly make: (call: CallToRun) => Promise<CallState>;
}

/**
 * Makes a call again with other arguments than it had. Whoever approved it approved those, so it is decided as if the model had
 * asked for these: a policy may forbid it, and an approval is asked for again, of whoever may give it.
 */
export async function makeEdited(
  { make, requireApproval }: MakesCalls,
  call: CallToRun,
  run: RunContext,
): Promise<CallState> {
  const checked = await checkEdits(call, run);
  // Making it says what does not fit.
  if (checked === undefined) return make(call);
  const decided = await holdCall(checked, requireApproval, run);
  return decided.type === 'held' ? decided.state : make(decided.call);
}
