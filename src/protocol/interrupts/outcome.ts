import type { Interrupt, RunFinishedEvent } from '@ag-ui/core';

/** The outcomes of a run that did not fail. */
export const RunFinishedOutcome = {
  Success: 'success',
  Interrupt: 'interrupt',
  Cancelled: 'cancelled',
} as const;

/** The outcome of a run; success when RUN_FINISHED has no outcome. */
export function outcomeOf(event: RunFinishedEvent): 'success' | 'interrupt' | 'cancelled' {
  return event.outcome?.type ?? RunFinishedOutcome.Success;
}

/** The interrupts that ended the run; empty for other outcomes. */
export function interruptsOf(event: RunFinishedEvent): readonly Interrupt[] {
  return event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
}
