/** outcome: the outcome of a run, and its interrupts. */
export { interruptsOf, outcomeOf, RunFinishedOutcome } from './outcome.ts';
