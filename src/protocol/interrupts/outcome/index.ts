/** outcome: how a run ended, and with which questions. */
export { interruptsOf, outcomeOf, RunFinishedOutcome } from './outcome.ts';
