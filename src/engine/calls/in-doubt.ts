import { waiting } from './call-outcomes.ts';
import type { CallState, PendingQuestion } from './call-state.ts';
import type { CallToRun } from './call-to-run.ts';
import { executeCall } from './execute-call.ts';
import { recoveryQuestion } from './questions.ts';
import type { Recovery } from './recovery.ts';
import type { RunContext } from './run-context.ts';

const ACTIONS = ['finished', 'retry', 'skip', 'abort'];

/**
 * Makes a call that a lost run may have made already. What did not begin, or may be done again, is made; of what began
 * otherwise nobody knows how it ended, so a person is asked. A body that keeps its work in steps is in doubt only for the
 * steps that were at work.
 */
export async function recoverCall(call: CallToRun, left: Recovery, run: RunContext): Promise<CallState> {
  const { tool, toolCallId, journal = [] } = call;
  if (tool.idempotent) return executeCall(call, run);
  const openSteps = left.openStepsOf(toolCallId);
  if (openSteps.length > 0) {
    const questions = openSteps.map((stepKey) => question(call, stepKey, run));
    return waiting(questions, call);
  }
  const keepsSteps = tool.hidden === true || journal.some(({ kind }) => kind !== 'ask');
  if (keepsSteps || !left.hasBegun(toolCallId)) return executeCall(call, run);
  return waiting([question(call, undefined, run)], call);
}

function question(call: CallToRun, stepKey: string | undefined, run: RunContext): PendingQuestion {
  const { tool } = call;
  const what = stepKey === undefined ? 'it' : `its step ${stepKey.slice(stepKey.indexOf(':') + 1)}`;
  const name = tool.hidden === true ? 'The agent' : (tool.title(call.input) ?? tool.name);
  const message = `${name}: the process ended while ${what} was at work. Nobody knows whether it was done. Was it?`;
  const trouble = { message, actions: ACTIONS, code: 'RUN_LOST' as const };
  return recoveryQuestion(call, stepKey === undefined ? trouble : { ...trouble, stepKey }, run);
}
