/**
 * ledger: the life of an interrupt: raised with its checkpoint, answered, claimed once by a run, settled, expired, on record.
 * The ledger decides, the store keeps. Every change of a thread is one commit against the rows that it read.
 */
export { mayRun, operatorAccess, operatorScope, unknownThread } from './access.ts';
export type { Access, AccessRules, Action, MayAnswer, Resource, ScopeAccess, Visibility } from './access.ts';
export { ANONYMOUS, callerOf, errorHeaders, neverStore } from './gate.ts';
export {
  accessChecks,
  accessInterruptChecks,
  accessLimitChecks,
  quotaChecks,
  quotasCheck,
  secretKeyCheck,
  storeCheck,
} from './check-options.ts';
export type { AccessOptions, ApproversOf } from './gate.ts';
export { checkAgain, createGate, isStillCaller } from './gate.ts';
export type { FileAccess, Gate, InterruptAccess, InterruptRights } from './gate.ts';
export { createLogin } from './rate-limit.ts';
export type { RequestSource } from './rate-limit.ts';
export { adoptInterrupts } from './foreign-interrupts.ts';
export { agentMemoryRows, openAgentMemory } from './agent-memory.ts';
export { askAgain } from './ask-again.ts';
export { beginRun } from './begin-run.ts';
export type { BeginResult, BeginRun, ClaimedRun, NoRun } from './begin-request.ts';
export type { Lease } from './lease.ts';
export { callResultOf, messageText, ownsResult } from './call-result.ts';
export { answerSchema } from './check-answer.ts';
export type { AnswerRules } from './check-answer.ts';
export type { EndRun, GrantedStart, RaisedInterrupt, RunChange } from './run-change.ts';
export { openSession } from './run-session.ts';
export type { RunSession, ToLogItems } from './run-session.ts';
export { erasePerson, eraseThread } from './erase.ts';
export type { ErasedPerson, ErasePerson, EraseThread } from './erase.ts';
export { expireDue } from './expire.ts';
export { exportHistory } from './export-history.ts';
export type { ExportHistory } from './export-history.ts';
export { openInterrupts, readExecutions, readHistory, readLog, readRun, readThread } from './read-ledger.ts';
export type {
  ActiveRun,
  CallResult,
  ExecutionRecord,
  GivenAnswer,
  HistoryEntry,
  InterruptRecord,
  InterruptState,
  Principal,
  RunFailure,
  RunRecord,
  RunStatus,
  ThreadKey,
  ThreadRecord,
  Way,
} from './records.ts';
export { askersOf } from './thread-change.ts';
export { threadName } from './thread-view.ts';
export { lookAtThread } from './thread-work.ts';
export { dropInterrupts } from './foreign-interrupts.ts';
export type { Dropped, DropInterrupts } from './foreign-interrupts.ts';
export { closeLostRun } from './active-run.ts';
export { abandonedThreads, isThreadAtWork } from './active-run.ts';
export { trimEvents } from './prune-threads.ts';
export { markRestored } from './mark-restored.ts';
export { renameThread } from './rename-thread.ts';
export { requestCancel } from './active-run.ts';
export { listAllowed } from './list-interrupts.ts';
export { listInterrupts, readInterrupt } from './list-interrupts.ts';
export type { ListedInterrupt, InterruptOrder, InterruptPage, InterruptQuery } from './list-interrupts.ts';
export { pruneThread, pruneThreads } from './prune-threads.ts';
export type { PruneThreads } from './prune-threads.ts';
export { assertInterruptQuota } from './quotas.ts';
export type { Quotas } from './quotas.ts';
export { openAnswers, openSecrets } from './kept-secrets.ts';
export { hasMarkers, markersIn, openMarkers } from './vault.ts';
export { storeGrants } from './store-grants.ts';
export type { GrantPage, StoredGrant, StoredGrants } from './store-grants.ts';
export { stageAnswer } from './stage-answer.ts';
export type { StageAnswer, Staged } from './stage-answer.ts';
export { createVault } from './vault.ts';
export { takeBackAnswer } from './take-back-answer.ts';
export { anchorAll, anchorNewest, collectChanges } from './anchor.ts';
export type { Anchor } from './anchor.ts';
export { verifyAll, verifyHistory } from './verify.ts';
export type { AuditFinding, VerifyAll } from './verify.ts';
export { withdrawInterrupt } from './stage-answer.ts';
export type { Vault } from './vault.ts';
