import type { UnknownRecord } from '../core/index.ts';
import { defined, HoldpointError, isRecord, parseJson } from '../core/index.ts';
import type { Interrupt, ResumeEntry } from '../protocol/index.ts';
import { askHost, hostUrl, queryOf, sendToHost, threadPath } from './ask-host.ts';
import { eventStreamOf } from './connection.ts';
import type { Session } from './session.ts';
import { delayBefore, wait } from './stream/back-off.ts';
import { createFrameOrder } from './stream/frame-order.ts';
import { readFrames } from './stream/read-frames.ts';

/** Which interrupts to list: pending and expired ones without a `status`, every one with `all`. */
export interface InboxFilter {
  /** State of the interrupts: `pending`, `answered`, `expired`, …, or `all`. Default: pending and expired. */
  readonly status?: string;
  /** Id of the agent. Default: every agent. */
  readonly agent?: string;
  /** Reason of the interrupts. Default: every reason. */
  readonly reason?: string;
  /** Id of the thread. Default: every thread. */
  readonly thread?: string;
  /** Name of the tool. Default: every tool. */
  readonly tool?: string;
  /** Principal who asked. Default: every principal. */
  readonly askedBy?: string;
  /** Principal who answered. Default: every principal. */
  readonly answeredBy?: string;
  /** Contained in the title, the message, the tool, the principal who asked, or a value or reason of the answer. */
  readonly text?: string;
  /** ISO 8601 time. */
  readonly raisedBefore?: string;
  /** ISO 8601 time. */
  readonly expiringBefore?: string;
  /** Default `oldest`; `answered` lists interrupts with an answer, the newest answer first. */
  readonly order?: 'oldest' | 'newest' | 'expiring' | 'answered';
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string;
  /** Most interrupts on a page. Default: the host's. */
  readonly limit?: number;
}

/** An interrupt with the host's record of it; `approve(item)` and the other replies take it directly. */
export interface InboxItem {
  /** Id of the thread. */
  readonly threadId: string;
  /** The interrupt. */
  readonly interrupt: Interrupt;
  /** True if the caller asked. Default false. */
  readonly askedByYou?: boolean;
  /** Whether the caller may answer it. */
  readonly mayAnswer?: boolean;
  /** Whether the caller is its asker and no run has claimed it yet: then the caller may withdraw it. */
  readonly mayWithdraw?: boolean;
  /** True: the caller is one of the approvers, and may not answer because they asked. Default false. */
  readonly barredAsAsker?: boolean;
  /** Who may answer it; absent if it names no approvers. */
  readonly approvers?: {
    /** One of these roles is enough. */
    readonly roles?: readonly string[];
    /** The ids of principals. */
    readonly principals?: readonly string[];
    /** True: the asker may not answer. */
    readonly notAsker?: boolean;
  };
  /** Id of the interrupt that was raised in its place, because a person asked again. */
  readonly supersededBy?: string;
  /** True if the call failed after the answer. */
  readonly failed?: boolean;
  /** True if it is not known whether the call ran: its run was lost while the call was at work. */
  readonly uncertain?: boolean;
  /** Present after its thread was deleted: the decided interrupt stays for the audit. */
  readonly threadDeleted?: {
    /** The id of the principal who deleted the thread. */
    readonly by: string;
    /** ISO 8601. */
    readonly at: string;
    /** True if the caller deleted it. */
    readonly you?: boolean;
  };
  readonly [member: string]: unknown;
}

/** One page of the inbox. */
export interface InboxPage {
  /** The interrupts of this page. */
  readonly interrupts: readonly InboxItem[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** The result of an answer: staged until the other interrupts have one, or the run continues. */
export interface InboxAnswer {
  /** `staged`, or `continued` when the run goes on. */
  readonly state: 'staged' | 'continued';
  readonly [member: string]: unknown;
}

/**
 * The interrupts of a Holdpoint host, across threads. Every method throws a `HoldpointError` with the host's code.
 */
export interface Inbox {
  /** Lists interrupts, page by page. */
  list(filter?: InboxFilter, signal?: AbortSignal): Promise<InboxPage>;
  /** Loads one interrupt. */
  get(threadId: string, interruptId: string): Promise<InboxItem>;
  /** Loads the history of an interrupt, oldest entry first. */
  history(threadId: string, interruptId: string): Promise<readonly UnknownRecord[]>;
  /**
   * Answers an interrupt; the run continues when every interrupt of its batch has an answer. `undoMs`: milliseconds
   * in which `takeBack` takes the answer back before the run continues; default 0.
   */
  answer(threadId: string, entry: ResumeEntry, options?: { readonly undoMs?: number }): Promise<InboxAnswer>;
  /** Takes the caller's own answer back. Throws `INTERRUPT_CONFLICT` once a run has claimed it. */
  takeBack(threadId: string, interruptId: string): Promise<void>;
  /**
   * Takes the caller's own request back: its call does not run, and needs no approver. Throws `FORBIDDEN` for the
   * request of another principal, and `INTERRUPT_CONFLICT` once a run has claimed its answer.
   */
  withdraw(
    threadId: string,
    interruptId: string,
    options?: { readonly reason?: string },
  ): Promise<InboxAnswer>;
  /** Raises an interrupt again under a new id. */
  askAgain(threadId: string, interruptId: string): Promise<UnknownRecord>;
  /**
   * Yields the first page of a list, and again after each change, until the signal aborts; resumes a broken stream. `onLost` is
   * called each time the stream ends or cannot be opened.
   */
  watch(signal?: AbortSignal, filter?: InboxFilter, onLost?: () => void): AsyncIterable<UnknownRecord>;
}

/** Codes of temporary failures that are worth a retry. */
const PASSING: ReadonlySet<string> = new Set(['RUN_LOST', 'INTERNAL', 'UNAVAILABLE']);

export type InboxSession = Pick<Session, 'connection' | 'backOff' | 'stallTimeoutMs'>;

/** The inbox over HTTP. */
export function createInbox(session: InboxSession): Inbox {
  const { connection } = session;
  return {
    list: (filter = {}, signal) =>
      askHost<InboxPage>(connection, `/interrupts${queryOf(filter)}`, defined({ signal })),
    get: (threadId, interruptId) => askHost<InboxItem>(connection, pathOf(threadId, interruptId)),
    history: async (threadId, interruptId) =>
      (await askHost<{ history: UnknownRecord[] }>(connection, `${pathOf(threadId, interruptId)}/history`))
        .history,
    answer: (threadId, { interruptId, ...entry }, { undoMs } = {}) =>
      askHost<InboxAnswer>(connection, `${pathOf(threadId, interruptId)}/answer`, {
        body: { ...entry, ...defined({ undoMs }) },
      }),
    async takeBack(threadId, interruptId) {
      await sendToHost(connection, `${pathOf(threadId, interruptId)}/answer`, { method: 'DELETE' });
    },
    withdraw: (threadId, interruptId, { reason } = {}) =>
      askHost<InboxAnswer>(connection, `${pathOf(threadId, interruptId)}/withdraw`, {
        body: defined({ reason }),
      }),
    askAgain: (threadId, interruptId) =>
      askHost<UnknownRecord>(connection, `${pathOf(threadId, interruptId)}/ask-again`, { body: {} }),
    watch: (signal = new AbortController().signal, filter = {}, onLost = () => undefined) =>
      watchInbox(session, signal, { filter, onLost }),
  };
}

async function* watchInbox(
  session: InboxSession,
  signal: AbortSignal,
  { filter, onLost }: { readonly filter: InboxFilter; readonly onLost: () => void },
): AsyncGenerator<UnknownRecord> {
  const order = createFrameOrder();
  const url = `${hostUrl(session.connection)}/interrupts/events${queryOf(filter)}`;
  const stallLimit = () => session.stallTimeoutMs;
  for (let failures = 0; ; failures += 1) {
    try {
      const headers = defined({ 'last-event-id': order.lastId });
      const response = await session.connection.send({ url, method: 'GET', signal, headers });
      for await (const frames of readFrames(eventStreamOf(response), { signal, stallLimit })) {
        for (const frame of frames) {
          const value = order.accept(frame) ? parseJson(frame.data) : undefined;
          if (!isRecord(value)) continue;
          failures = 0;
          yield value;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const isPassing = HoldpointError.is(error) && PASSING.has(error.code);
      if (!isPassing) throw error;
    }
    onLost();
    await wait(delayBefore(Math.min(failures, 30), session.backOff), signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

function pathOf(threadId: string, interruptId: string): string {
  return `${threadPath(threadId)}/interrupts/${encodeURIComponent(interruptId)}`;
}
