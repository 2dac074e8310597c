import type { Interrupt, ResumeEntry } from '@ag-ui/core';
import { isExpired } from './is-expired.ts';

/** What a list of answers does to the open questions; ids, each list in its own order. */
export interface Coverage {
  /** Every open question has exactly one answer that may be given, and there are no others. */
  readonly complete: boolean;
  /** Open, and without an answer. */
  readonly unanswered: readonly string[];
  /** Answered, and not open. */
  readonly unknown: readonly string[];
  /** Answered more than once. */
  readonly duplicate: readonly string[];
  /** Expired, and answered other than by cancelling. */
  readonly expired: readonly string[];
}

/** Compares answers with the open questions at the time `now`; decides nothing. */
export function validateCoverage(
  open: readonly Interrupt[],
  answers: readonly ResumeEntry[],
  now: number,
): Coverage {
  const byId = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  const seen = new Set<string>();
  const unknown = new Set<string>();
  const duplicate = new Set<string>();
  const expired = new Set<string>();
  for (const { interruptId, status } of answers) {
    const interrupt = byId.get(interruptId);
    if (interrupt === undefined) unknown.add(interruptId);
    else if (status === 'resolved' && isExpired(interrupt, now)) expired.add(interruptId);
    if (seen.has(interruptId)) duplicate.add(interruptId);
    seen.add(interruptId);
  }
  const unanswered = [...byId.keys()].filter((id) => !seen.has(id));
  return {
    complete: unanswered.length + unknown.size + duplicate.size + expired.size === 0,
    unanswered,
    unknown: [...unknown],
    duplicate: [...duplicate],
    expired: [...expired],
  };
}
