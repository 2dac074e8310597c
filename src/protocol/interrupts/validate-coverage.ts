import type { Interrupt, ResumeEntry } from '@ag-ui/core';
import { isExpired } from './is-expired.ts';

/** The result of comparing answers with the open interrupts; each list has ids. */
export interface Coverage {
  /** True when every open interrupt has exactly one allowed answer, and there are no other answers. */
  readonly complete: boolean;
  /** Open interrupts without an answer. */
  readonly unanswered: readonly string[];
  /** Answered interrupts that are not open. */
  readonly unknown: readonly string[];
  /** Interrupts with more than one answer. */
  readonly duplicate: readonly string[];
  /** Expired interrupts with an answer other than a cancellation. */
  readonly expired: readonly string[];
}

/**
 * Compares answers with the open interrupts at the time `now` (milliseconds since the Unix epoch); throws nothing.
 */
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
