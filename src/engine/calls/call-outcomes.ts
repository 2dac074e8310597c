import type { CallState, PendingQuestion } from './call-state.ts';
import type { CallToRun } from './call-to-run.ts';

/** The state of a call that has its result. */
export function done(output: unknown): CallState {
  return { status: 'done', output };
}

/** The state of a call whose result says what went wrong. */
export function failed(error: string): Extract<CallState, { status: 'done' }> {
  return { status: 'done', output: error, error };
}

/** The state of a call that waits, with all that its next run needs. */
export function waiting(questions: readonly PendingQuestion[], call: CallToRun): CallState {
  const { input, originalInput, journal = [], resumed, approvedBy, guard, tool, idempotencyKey } = call;
  return {
    status: 'waiting',
    questions,
    input,
    journal,
    ...(originalInput === undefined ? {} : { originalInput }),
    ...(resumed === undefined ? {} : { resumed }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
    ...(guard === undefined ? {} : { guard }),
    ...(tool.version === undefined ? {} : { version: tool.version }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
