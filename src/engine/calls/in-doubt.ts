import { waiting } from './call-outcomes.ts';
import type { CallState } from './call-state.ts';
import type { CallToRun } from './call-to-run.ts';
import { executeCall, withKey } from './execute-call.ts';
import { doubtQuestions } from './questions.ts';
import type { Recovery } from './recovery.ts';
import type { RunContext } from './run-context.ts';

/**
 * Makes a call that a lost run may have made already. What did not begin, or may be done again, is made; of what began
 * otherwise nobody knows how it ended, so a person is asked. A body that keeps its work in steps is in doubt only for the
 * steps that were at work; in a turn from a backup, which does not know later steps, it is in doubt as a whole.
 */
export async function recoverCall(given: CallToRun, left: Recovery, run: RunContext): Promise<CallState> {
  const call = withKey(given, run);
  const { tool, toolCallId, journal = [] } = call;
  if (tool.idempotent) return executeCall(call, run);
  const openSteps = left.mayHaveRun ? [] : left.openStepsOf(toolCallId);
  const happened = left.mayHaveRun ? 'was restored from a backup.' : 'was at work when its run ended.';
  const doubt = { steps: openSteps, happened, code: 'RUN_LOST' as const };
  if (openSteps.length > 0) return waiting(doubtQuestions(call, doubt, run), call);
  const keepsSteps = !left.mayHaveRun && (tool.hidden === true || journal.some(({ kind }) => kind !== 'ask'));
  if (keepsSteps || !left.hasBegun(toolCallId)) return executeCall(call, run);
  return waiting(doubtQuestions(call, doubt, run), call);
}
