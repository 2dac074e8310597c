import type { CustomRequest, CustomResponse } from '../content/index.ts';
import type { Inbox } from './inbox.ts';
import type { AnswerInput, Run, RunOptions, RunRequest, RunUpdate } from './run/run.ts';
import type { Thread } from './thread/thread.ts';

/** A thread, by itself or by a run on it. */
export interface OnThread {
  readonly threadId: string;
}

/** How far the answers to a thread's open questions have come: 2 of 3. */
export interface Staged {
  readonly answered: number;
  readonly total: number;
  /** The ids of the questions that have no answer yet. */
  readonly missing: readonly string[];
}

/** Runs one agent, on any number of threads. */
export interface Client<Request extends CustomRequest = never, Response extends CustomResponse = never> {
  /** Starts a run. One run of this client is at work on a thread at a time; another is a `RUN_CONFLICT`. */
  run(request?: RunRequest<Response>): Run<Request>;
  /**
   * Answers every open question of a thread and goes on. Staged answers count; those given here win. Nothing is
   * sent when one is missing, unknown, double, expired or does not fit its schema.
   */
  resume(on: OnThread, answers?: readonly AnswerInput<Response>[], options?: RunOptions): Run<Request>;
  /** Keeps answers until the others are there, over a reload too. Checks them as `resume` does. */
  stage(on: OnThread, answers: readonly AnswerInput<Response>[]): Promise<Staged>;
  /**
   * Shows the thread as the server has it: messages, state, open questions. A server without such a route leaves
   * what is known here.
   */
  connect(threadId: string, options?: Pick<RunOptions, 'signal'>): Run<Request>;
  /** Follows whatever happens on a thread of a Holdpoint host, until the loop is left or the signal aborted. */
  watch(threadId: string, options?: Pick<RunOptions, 'signal'>): AsyncIterable<RunUpdate<Request>>;
  /** Stops a run: on the server where it can be asked, else here. Its outcome is `cancelled`. */
  stop(run: Run<Request>): Promise<void>;
  /** What this client knows of a thread, for a user interface. */
  thread(threadId: string): Thread;
  readonly inbox: Inbox;
}
