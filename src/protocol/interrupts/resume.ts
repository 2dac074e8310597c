import type { Interrupt, Metadata, ResumeEntry } from '@ag-ui/core';
import { HoldpointError } from '../../core/index.ts';
import { isExpired } from './interrupt.ts';

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
 * import { buildResume } from 'holdpoint/protocol';
 *
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
 *
 * @example
 * ```ts
 * import { validateCoverage } from 'holdpoint/protocol';
 *
 * const { complete, unanswered } = validateCoverage(interrupts, resume, Date.now());
 * if (!complete) console.log(`Without an answer: ${unanswered.join(', ')}`);
 * ```
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
