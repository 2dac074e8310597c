import type { UnknownRecord } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';

/** Which interrupts to list: pending and expired ones without a `status`, every one with `all`. */
export interface InboxFilter {
  readonly status?: string;
  readonly agent?: string;
  readonly reason?: string;
  readonly thread?: string;
  /** ISO 8601 time. */
  readonly expiringBefore?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** An interrupt with the host's record of it; `approve(item)` and the other replies take it directly. */
export interface InboxItem {
  readonly threadId: string;
  readonly interrupt: Interrupt;
  readonly [member: string]: unknown;
}

/** One page of the inbox. */
export interface InboxPage {
  readonly interrupts: readonly InboxItem[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** The result of an answer: staged until the other interrupts have one, or the run continues. */
export interface InboxAnswer {
  readonly state: 'staged' | 'continued';
  readonly [member: string]: unknown;
}

/**
 * The interrupts of a Holdpoint host, across threads. Every method throws a `HoldpointError` with the host's code.
 */
export interface Inbox {
  list(filter?: InboxFilter, signal?: AbortSignal): Promise<InboxPage>;
  get(threadId: string, interruptId: string): Promise<InboxItem>;
  history(threadId: string, interruptId: string): Promise<readonly UnknownRecord[]>;
  answer(threadId: string, entry: ResumeEntry): Promise<InboxAnswer>;
  askAgain(threadId: string, interruptId: string): Promise<UnknownRecord>;
  /** Yields the host's changes until the signal aborts; resumes a broken stream. */
  watch(signal?: AbortSignal): AsyncIterable<UnknownRecord>;
}
