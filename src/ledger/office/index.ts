/**
 * ledger/office: the questions of a store and their history, for an application's own pages, jobs and audits. Answers go through
 * a host or `generate`, which know what may be answered.
 */
export type { Approvers } from '../../content/questions/index.ts';
export { exportHistory } from '../export-history.ts';
export type { ExportHistory } from '../export-history.ts';
export type { ListedQuestion, QuestionPage } from '../list-questions.ts';
export { pruneThreads } from '../prune-threads.ts';
export type { PruneThreads } from '../prune-threads.ts';
export type {
  GivenAnswer,
  HistoryEntry,
  InterruptRecord,
  InterruptState,
  ThreadKey,
  Way,
} from '../records.ts';
export type { Staged } from '../stage-answer.ts';
export { verifyAll } from '../verify-all.ts';
export type { BrokenHistory, VerifyAll } from '../verify-all.ts';
export { listQuestions, readHistory, readQuestion, verifyHistory, withdrawQuestion } from './office.ts';
export type { ScopeQuery as QuestionQuery } from './office.ts';
