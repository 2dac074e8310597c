import type { UnknownRecord } from '../core/basics/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';

/** Which interrupts to list: pending and expired ones without a `status`, every one with `all`. */
export interface InboxFilter {
  readonly status?: string;
  readonly agent?: string;
  readonly reason?: string;
  readonly thread?: string;
  readonly tool?: string;
  readonly askedBy?: string;
  readonly answeredBy?: string;
  /** Contained in the title, the message or the tool. */
  readonly text?: string;
  /** ISO 8601 time. */
  readonly raisedBefore?: string;
  /** ISO 8601 time. */
  readonly expiringBefore?: string;
  /** Default `oldest`; `answered` lists interrupts with an answer, the newest answer first. */
  readonly order?: 'oldest' | 'newest' | 'expiring' | 'answered';
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
  /** `undoMs`: milliseconds in which `takeBack` takes the answer back before the run continues; default 0. */
  answer(threadId: string, entry: ResumeEntry, options?: { readonly undoMs?: number }): Promise<InboxAnswer>;
  /** Takes the caller's own answer back. Throws `INTERRUPT_CONFLICT` once a run has claimed it. */
  takeBack(threadId: string, interruptId: string): Promise<void>;
  askAgain(threadId: string, interruptId: string): Promise<UnknownRecord>;
  /** Yields the first page of a list, and again after each change, until the signal aborts; resumes a broken stream. */
  watch(signal?: AbortSignal, filter?: InboxFilter): AsyncIterable<UnknownRecord>;
}
