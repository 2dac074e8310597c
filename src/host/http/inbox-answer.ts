import { HoldpointError, isRecord } from '../../core/index.ts';
import type { InterruptRecord } from '../../ledger/index.ts';
import type { ResumeEntry } from '../../protocol/index.ts';
import type { HostParts } from '../host-parts.ts';
import { OPEN } from './inbox-query.ts';

/** The answer of a request's body. Throws `INPUT_INVALID`. */
export function entryOf(interruptId: string, body: unknown): ResumeEntry {
  const status = isRecord(body) ? body['status'] : undefined;
  if (!isRecord(body) || (status !== 'resolved' && status !== 'cancelled')) {
    throw new HoldpointError(
      'INPUT_INVALID',
      'An answer is {"status": "resolved", "payload": …} or {"status": "cancelled"}.',
    );
  }
  const { payload, metadata } = body;
  return {
    interruptId,
    status,
    ...(payload === undefined ? {} : { payload }),
    ...(isRecord(metadata) ? { metadata: { ...metadata } } : {}),
  };
}

const LONGEST_UNDO_MS = 60_000;

/** Milliseconds for which the author of an answer can take it back before the run continues. Throws `INPUT_INVALID`. */
export function undoMsOf(body: unknown): number {
  const undoMs = isRecord(body) ? (body['undoMs'] ?? 0) : 0;
  if (typeof undoMs === 'number' && undoMs >= 0 && undoMs <= LONGEST_UNDO_MS) return Math.round(undoMs);
  throw new HoldpointError('INPUT_INVALID', `undoMs is a number of milliseconds up to ${LONGEST_UNDO_MS}.`);
}

/**
 * An answer that nobody here could hand over is not taken: the question stays listed. A cancellation needs nobody, and one that
 * is over is for the ledger to say. Throws `AGENT_UNKNOWN`.
 */
export function assertGoesOn(
  { agents, options }: HostParts,
  { agent, state }: InterruptRecord,
  { status }: ResumeEntry,
): void {
  const isOpen = OPEN.includes(state) || state === 'answered';
  if (!isOpen || status === 'cancelled' || options.agentsElsewhere === true) return;
  if (agents.resolve(agent) !== undefined) return;
  throw new HoldpointError(
    'AGENT_UNKNOWN',
    `There is no agent ${agent} here to go on with the answer; the question can be cancelled.`,
  );
}
