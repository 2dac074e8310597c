import type { RaisedQuestion } from '../../ledger/index.ts';
import type { LoopResult } from '../loop/run-loop.ts';

/** The questions of a run that waits, with the rules that their tools gave them. */
export function raisedQuestions({ interrupts }: LoopResult): readonly RaisedQuestion[] {
  return interrupts.map(({ interrupt, rules }) => ({ interrupt, ...rules }));
}
