import type { Interrupt, RunFinishedEvent } from '@ag-ui/core';

/** How a run can end without having failed. */
export const RunFinishedOutcome = {
  Success: 'success',
  Interrupt: 'interrupt',
  Cancelled: 'cancelled',
} as const;

/** How the run ended; a RUN_FINISHED that does not say so succeeded. */
export function outcomeOf(event: RunFinishedEvent): 'success' | 'interrupt' | 'cancelled' {
  return event.outcome?.type ?? RunFinishedOutcome.Success;
}

/** The questions that ended the run; none for any other outcome. */
export function interruptsOf(event: RunFinishedEvent): readonly Interrupt[] {
  return event.outcome?.type === 'interrupt' ? event.outcome.interrupts : [];
}
