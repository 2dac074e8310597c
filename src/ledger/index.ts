/**
 * ledger: the life of a question: raised with its checkpoint, answered, claimed once by a run, settled, expired, on record.
 * It decides; the store only keeps. Every change of a thread is one commit against what was read.
 */
export { operatorAccess, operatorScope, unknownThread } from './access.ts';
export type { Access, AccessRules, Action, MayAnswer, Resource, ScopeAccess } from './access.ts';
export { ANONYMOUS, callerOf, CHALLENGE } from './caller.ts';
export type { AccessOptions } from './caller.ts';
export { checkAgain, createGate } from './gate.ts';
export type { Gate, InterruptAccess } from './gate.ts';
export { adoptQuestions } from './adopt-questions.ts';
export { askAgain } from './ask-again.ts';
export { beginRun } from './begin-run.ts';
export type { BeginRun, Begun, Lease, StartedRun } from './begin-request.ts';
export { answerDigest } from './check-answer.ts';
export type { AnswerRules } from './check-answer.ts';
export { assertLease, endRun } from './end-run.ts';
export type { EndRun, RaisedQuestion, RunChange } from './run-writes.ts';
export { openSession } from './run-session.ts';
export type { RunSession } from './run-session.ts';
export { expireDue } from './expire.ts';
export { exportHistory } from './export-history.ts';
export type { ExportHistory } from './export-history.ts';
export {
  openQuestions,
  readExecutions,
  readHistory,
  readLog,
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
export { dropQuestions } from './drop-questions.ts';
export type { Dropped, DropQuestions } from './drop-questions.ts';
export { closeLostRun } from './close-lost-run.ts';
export { abandonedThreads, isThreadAtWork } from './is-at-work.ts';
export { trimEvents } from './trim-events.ts';
export { markRestored } from './mark-restored.ts';
export { renameThread } from './rename-thread.ts';
export { requestCancel } from './request-cancel.ts';
export { listAllowed } from './list-allowed.ts';
export { listQuestions, readQuestion } from './list-questions.ts';
export type { ListedQuestion, QuestionOrder, QuestionPage, QuestionQuery } from './list-questions.ts';
export { pruneThread, pruneThreads } from './prune-threads.ts';
export type { PruneThreads } from './prune-threads.ts';
export { assertQuestionQuota } from './quotas.ts';
export type { Quotas } from './quotas.ts';
export { openAnswers, openSecrets } from './kept-secrets.ts';
export { hasMarkers, markersIn, openMarkers } from './secret-markers.ts';
export { stageAnswer } from './stage-answer.ts';
export type { StageAnswer, Staged } from './stage-answer.ts';
export { createVault } from './vault.ts';
export { takeBackAnswer } from './take-back-answer.ts';
export { verifyAll } from './verify-all.ts';
export type { BrokenHistory, VerifyAll } from './verify-all.ts';
export { withdrawQuestion } from './withdraw-question.ts';
export type { Vault } from './vault.ts';
