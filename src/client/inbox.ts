import type { UnknownRecord } from '../core/basics/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';

/** Which questions to list; those that are pending or expired when no status is said, and `all` for every one. */
export interface InboxFilter {
  readonly status?: string;
  readonly agent?: string;
  readonly reason?: string;
  readonly thread?: string;
  /** An ISO 8601 time. */
  readonly expiringBefore?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** A question with what the host says about it; `approve(item)` and its like take it as it is. */
export interface InboxItem {
  readonly threadId: string;
  readonly interrupt: Interrupt;
  readonly [member: string]: unknown;
}

export interface InboxPage {
  readonly interrupts: readonly InboxItem[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** What became of an answer: kept until the others are there, or the run goes on. */
export interface InboxAnswer {
  readonly state: 'staged' | 'continued';
  readonly [member: string]: unknown;
}

/** The questions of a Holdpoint host, across threads. Every method throws a `HoldpointError` with the host's code. */
export interface Inbox {
  list(filter?: InboxFilter, signal?: AbortSignal): Promise<InboxPage>;
  get(threadId: string, interruptId: string): Promise<InboxItem>;
  history(threadId: string, interruptId: string): Promise<readonly UnknownRecord[]>;
  answer(threadId: string, entry: ResumeEntry): Promise<InboxAnswer>;
  askAgain(threadId: string, interruptId: string): Promise<UnknownRecord>;
  /** Changes as the host tells them, until the signal says to stop; takes up a broken stream. */
  watch(signal?: AbortSignal): AsyncIterable<UnknownRecord>;
}
