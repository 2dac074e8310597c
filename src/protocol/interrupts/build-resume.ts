import type { Interrupt, Metadata, ResumeEntry } from '@ag-ui/core';
import { HoldpointError } from '../../core/index.ts';
import { validateCoverage } from './validate-coverage.ts';

/** One answer; `cancelled` means that no answer will come, a rejection is `resolved`. */
export type Answer =
  | { readonly status: 'resolved'; readonly payload?: unknown; readonly metadata?: Metadata }
  | { readonly status: 'cancelled'; readonly metadata?: Metadata };

/**
 * Builds the `resume` of the next run, in the order of the interrupts. Throws `INTERRUPTS_UNANSWERED` for a missing
 * answer, `INTERRUPT_UNKNOWN` for an id that is not open, `INTERRUPT_EXPIRED` for an expired interrupt that is
 * answered rather than cancelled.
 *
 * @example
 * ```ts
 * const answers = new Map([['i1', { status: 'resolved', payload: { approved: true } } as const]]);
 * const resume = buildResume(interrupts, answers, Date.now());
 * ```
 */
export function buildResume(
  open: readonly Interrupt[],
  answers: ReadonlyMap<string, Answer | ResumeEntry>,
  now: number,
): ResumeEntry[] {
  const entries = [...answers].map(([interruptId, answer]) => toEntry(interruptId, answer));
  const { unanswered, unknown, expired } = validateCoverage(open, entries, now);
  if (unknown.length > 0) {
    throw new HoldpointError(
      'INTERRUPT_UNKNOWN',
      `No open interrupt has the id ${unknown.join(', ')}. Load the thread to see which are open.`,
    );
  }
  if (expired.length > 0) {
    throw new HoldpointError(
      'INTERRUPT_EXPIRED',
      `The interrupt ${expired.join(', ')} has expired; it can only be cancelled.`,
    );
  }
  if (unanswered.length > 0) {
    throw new HoldpointError(
      'INTERRUPTS_UNANSWERED',
      `The interrupt ${unanswered.join(', ')} has no answer; all open ones are answered together.`,
    );
  }
  const byId = new Map(entries.map((entry) => [entry.interruptId, entry]));
  return open.flatMap(({ id }) => byId.get(id) ?? []);
}

function toEntry(interruptId: string, answer: Answer | ResumeEntry): ResumeEntry {
  const entry: ResumeEntry = { interruptId, status: answer.status };
  if (answer.status === 'resolved' && answer.payload !== undefined) entry.payload = answer.payload;
  if (answer.metadata !== undefined) entry.metadata = answer.metadata;
  return entry;
}
