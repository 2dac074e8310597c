/**
 * ledger/admin: the interrupts of a store and their history, for pages, jobs and audits of an application. Answers go through a
 * host or `generate`, which check them.
 */
import type { Store } from '../../store/index.ts';
import { operatorAccess, operatorScope } from '../access.ts';
import type { InterruptPage, InterruptQuery as Query } from '../list-interrupts.ts';
import { listInterrupts as listAs, readInterrupt as readAs } from '../list-interrupts.ts';
import { readHistory as historyAs } from '../read-ledger.ts';
import type { HistoryEntry, InterruptRecord, ThreadKey } from '../records.ts';
import type { Staged } from '../stage-answer.ts';
import { withdrawInterrupt as withdrawAs } from '../stage-answer.ts';
import type { AuditFinding } from '../verify.ts';
import { verifyHistory as verifyAs } from '../verify.ts';

export type { Approvers } from '../../content/interrupts/index.ts';
export { erasePerson, eraseThread } from '../erase.ts';
export type { ErasedPerson, ErasePerson, EraseThread } from '../erase.ts';
export { exportHistory } from '../export-history.ts';
export type { ExportHistory } from '../export-history.ts';
export type { ListedInterrupt, InterruptPage } from '../list-interrupts.ts';
export { pruneThreads } from '../prune-threads.ts';
export type { PruneThreads } from '../prune-threads.ts';
export type {
  CallResult,
  GivenAnswer,
  HistoryEntry,
  InterruptRecord,
  InterruptState,
  ThreadDeleted,
  ThreadKey,
  Way,
} from '../records.ts';
export type { Staged } from '../stage-answer.ts';
export { anchorAll } from '../anchor.ts';
export type { Anchor } from '../anchor.ts';
export { verifyAll } from '../verify.ts';
export type { AuditFinding, VerifyAll } from '../verify.ts';

/** A filter for the interrupts of a scope. */
export interface InterruptQuery extends Query {
  readonly scope: string;
}

/** A page of the interrupts of a scope, across threads. Throws `INPUT_INVALID` for a cursor that no page gave. */
export function listInterrupts(store: Store, { scope, ...query }: InterruptQuery): Promise<InterruptPage> {
  return listAs(operatorScope(store, scope), query);
}

/** An interrupt in any state; undefined for an unknown id. */
export function readInterrupt(
  store: Store,
  key: ThreadKey,
  interruptId: string,
): Promise<InterruptRecord | undefined> {
  return readAs(operatorAccess(store, key), interruptId);
}

/** The whole history of a thread, from its start. */
export function readHistory(store: Store, key: ThreadKey): Promise<readonly HistoryEntry[]> {
  return historyAs(operatorAccess(store, key));
}

/**
 * Compares the history of a thread with itself and with the rows of its interrupts. Returns the first difference; undefined for none.
 * `verifyAll` also compares it with the chain of anchors.
 */
export function verifyHistory(store: Store, key: ThreadKey): Promise<AuditFinding | undefined> {
  return verifyAs(operatorAccess(store, key));
}

/**
 * Withdraws an interrupt that no run has claimed, for the agent or the server that raised it. The interrupt counts as
 * cancelled, and a staged answer is replaced. If every other interrupt of the batch has an answer, the same commit makes
 * the thread ready.
 * Repeating it changes nothing. Throws `INTERRUPT_UNKNOWN`, or `INTERRUPT_CONFLICT` after the claim.
 */
export function withdrawInterrupt(
  store: Store,
  withdrawal: {
    readonly key: ThreadKey;
    readonly interruptId: string;
    readonly reason?: string;
    /** The id of the principal that withdraws it. Default `holdpoint`. */
    readonly by?: string;
  },
): Promise<Staged> {
  const { key, by, ...given } = withdrawal;
  const principal = by === undefined ? undefined : { id: by, scope: key.scope };
  return withdrawAs(operatorAccess(store, key, principal), { ...given, via: 'in-process' });
}
