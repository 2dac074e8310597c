import type { CustomRequest, CustomResponse } from '../content/index.ts';
import type { Inbox } from './inbox.ts';
import type { AnswerInput, Run, RunOptions, RunRequest, RunUpdate } from './run/run.ts';
import type { Thread } from './thread/thread.ts';

/** A thread, named directly or by a run on it. */
export interface OnThread {
  readonly threadId: string;
}

/** How many open interrupts of a thread have a staged answer, such as 2 of 3. */
export interface Staged {
  readonly answered: number;
  readonly total: number;
  /** Ids of the interrupts without an answer. */
  readonly missing: readonly string[];
}

/** Runs one agent on any number of threads. */
export interface Client<Request extends CustomRequest = never, Response extends CustomResponse = never> {
  /** Starts a run. A thread has one active run of this client; a second one rejects with `RUN_CONFLICT`. */
  run(request?: RunRequest<Response>): Run<Request>;
  /**
   * Answers every open interrupt of a thread and continues the run. Staged answers count; answers given here
   * replace them. Sends nothing when an answer is missing, unknown, given twice, expired or invalid.
   */
  resume(on: OnThread, answers?: readonly AnswerInput<Response>[], options?: RunOptions): Run<Request>;
  /** Keeps answers until every open interrupt has one, also over a reload. Checks them like `resume`. */
  stage(on: OnThread, answers: readonly AnswerInput<Response>[]): Promise<Staged>;
  /**
   * Loads the thread from the server: messages, state, open interrupts. Without such a route on the server, the
   * thread stays as it is.
   */
  connect(threadId: string, options?: Pick<RunOptions, 'signal'>): Run<Request>;
  /** Yields every event of a thread of a Holdpoint host, until the loop ends or the signal aborts. */
  watch(threadId: string, options?: Pick<RunOptions, 'signal'>): AsyncIterable<RunUpdate<Request>>;
  /** Stops a run: on the server if it has a route for that, else only in the client. The outcome is `cancelled`. */
  stop(run: Run<Request>): Promise<void>;
  /** The state of a thread, for a user interface. */
  thread(threadId: string): Thread;
  readonly inbox: Inbox;
}
