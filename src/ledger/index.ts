/**
 * ledger: the life of a question: raised with its checkpoint, answered, claimed once by a run, settled, expired, on record.
 * It decides; the store only keeps. Every change of a thread is one commit against what was read.
 */
export { askAgain } from './ask-again.ts';
export { beginRun } from './begin-run.ts';
export type { BeginRun, Begun, Lease, StartedRun } from './begin-request.ts';
export { answerDigest } from './check-answer.ts';
export type { AnswerRules } from './check-answer.ts';
export { assertLease, endRun } from './end-run.ts';
export type { EndRun, RaisedQuestion, RunChange } from './run-change.ts';
export { openSession } from './run-session.ts';
export type { RunSession } from './run-session.ts';
export { expireDue } from './expire.ts';
export {
  openQuestions,
  readExecutions,
  readHistory,
  readRun,
  readThread,
  verifyHistory,
} from './read-ledger.ts';
export type {
  ActiveRun,
  Approvers,
  ExecutionRecord,
  GivenAnswer,
  HistoryEntry,
  InterruptRecord,
  InterruptState,
  OnExpire,
  Principal,
  RunFailure,
  RunRecord,
  RunStatus,
  ThreadKey,
  ThreadRecord,
  Way,
} from './records.ts';
export { stageAnswer } from './stage-answer.ts';
export type { StageAnswer, Staged } from './stage-answer.ts';
