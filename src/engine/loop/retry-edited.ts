import { validateWithSchema } from '../../core/schema/index.ts';
import type { CallState } from '../calls/call-state.ts';
import type { CallToRun } from '../calls/call-to-run.ts';
import type { RunContext } from '../calls/run-context.ts';
import { holdCall } from './hold-call.ts';
import type { CallToResume } from './resume-call.ts';

/**
 * Makes a call again with other arguments than it had. Whoever approved it approved those, so it is decided as if the model had
 * asked for these: a policy may forbid it, and an approval is asked for again, of whoever may give it.
 */
export async function retryEdited(
  { tool, make, requireApproval }: CallToResume,
  before: CallToRun,
  { input, run }: { readonly input: unknown; readonly run: RunContext },
): Promise<CallState> {
  const { resumed: _resumed, approvedBy: _approvedBy, ...rest } = before;
  const call: CallToRun = { ...rest, input, originalInput: before.originalInput ?? before.input };
  const opened = run.secrets === undefined ? input : run.secrets.open(input);
  const checked = await validateWithSchema(tool.input, opened);
  if (!checked.ok) return make(call);
  const decided = await holdCall({ ...call, checked: { value: checked.value } }, requireApproval, run);
  return decided.type === 'held' ? decided.state : make(decided.call);
}
