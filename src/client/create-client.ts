import type { CustomRequest, CustomResponse } from '../content/index.ts';
import type { OnDemand } from '../core/on-demand.ts';
import { HoldpointError, newId as defaultNewId, onDemand } from '../core/index.ts';
import { checkStaged } from './check-answers.ts';
import type { ClientOptions } from './client-options.ts';
import type { GrantList, HostRecords, Threads, ThreadFiles } from './host-records.ts';
import type { Inbox } from './inbox.ts';
import { prepareRun, readAnswers } from './run/prepare-run.ts';
import type { AnswerInput, Run, RunOptions, RunRequest, RunUpdate } from './run/run.ts';
import type { RunPlan, StartedRun } from './run/start-run.ts';
import { startRun } from './run/start-run.ts';
import type { Session } from './session.ts';
import { createSession } from './session.ts';
import { watchThread } from './thread/watch-thread.ts';
import type { Thread } from './thread/thread-store.ts';

/** A thread, named directly or by a run on it. */
export interface OnThread {
  /** Id of the thread. */
  readonly threadId: string;
}

/** How many open interrupts of a thread have a staged answer, such as 2 of 3. */
export interface Staged {
  /** Number of interrupts with a staged answer. */
  readonly answered: number;
  /** Number of open interrupts. */
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
  resume(
    on: OnThread,
    answers?: AnswerInput<Response> | readonly AnswerInput<Response>[],
    options?: RunOptions,
  ): Run<Request>;
  /** Keeps answers until every open interrupt has one, also over a reload. Checks them like `resume`. */
  stage(on: OnThread, answers: AnswerInput<Response> | readonly AnswerInput<Response>[]): Promise<Staged>;
  /**
   * Loads the thread from the server: messages, state, open interrupts. Without such a route on the server, the
   * thread stays as it is.
   */
  connect(threadId: string, options?: Pick<RunOptions, 'signal'>): Run<Request>;
  /** Yields every event of a thread of a Holdpoint host, until the loop ends or the signal aborts. */
  watch(threadId: string, options?: Pick<RunOptions, 'signal'>): AsyncIterable<RunUpdate<Request>>;
  /**
   * Stops a run: on the server if it has a route for that, else only in the client. The outcome is `cancelled`. A run of
   * another client is named by its ids.
   */
  stop(run: Run<Request> | Pick<Run, 'threadId' | 'runId'>): Promise<void>;
  /** The state of a thread, for a user interface. */
  thread(threadId: string): Thread;
  /** The interrupts of all threads of a Holdpoint host. */
  readonly inbox: Inbox;
  /** The threads of a Holdpoint host. */
  readonly threads: Threads;
  /** The remembered decisions of a Holdpoint host. */
  readonly grants: GrantList;
  /** The files of the threads of a Holdpoint host. */
  readonly files: ThreadFiles;
}

/**
 * Creates a client for one agent: of a Holdpoint host, or of a server that speaks a known dialect of AG-UI. Every
 * error is a `HoldpointError`; its `code` says what happened.
 *
 * @example
 * ```ts
 * import { approve, createClient } from 'holdpoint/client';
 *
 * const client = createClient({ url: 'http://localhost:4680/agents/bank' });
 * const run = client.run({ messages: 'Transfer $1000.' });
 * const { interrupts } = await run.finished;
 * await client.resume(run, interrupts.map((interrupt) => approve(interrupt))).finished;
 * ```
 */
export function createClient<Request extends CustomRequest = never, Response extends CustomResponse = never>(
  options: ClientOptions<Request, Response>,
): Client<Request, Response> {
  const { newId = defaultNewId } = options;
  const session = createSession({ ...options, newId });
  const records = onDemand(async () => (await import('./host-records.ts')).createHostRecords(session));
  const starting = new WeakMap<object, StartedRun<Request>>();

  const start = (threadId: string, plan: Omit<RunPlan, 'runId'>): Run<Request> => {
    const started = startRun(session, session.thread(threadId), { ...plan, runId: newId() });
    // A caller that only reads the updates gets the error in its loop.
    started.run.finished.catch(() => undefined);
    starting.set(started.run, started);
    return started.run;
  };
  const client: Client<Request, Response> = {
    run(request = {}) {
      const threadId = request.threadId ?? newId();
      const prepare = () => prepareRun(request, session, session.thread(threadId));
      return start(threadId, { ...request, prepare });
    },
    resume: ({ threadId }, answers = [], more = {}) => client.run({ ...more, threadId, resume: answers }),
    connect: (threadId, more = {}) =>
      start(threadId, { ...more, connect: true, prepare: () => Promise.resolve(undefined) }),
    async stage({ threadId }, answers) {
      const thread = session.thread(threadId);
      await thread.restore();
      const entries = await readAnswers(answers, session, thread);
      const { open = [], staged } = thread;
      await checkStaged(entries, { open, staged, now: session.connection.now(), warn: session.warn });
      thread.stage(entries);
      await thread.save();
      const missing = open.map(({ id }) => id).filter((id) => !thread.staged.has(id));
      return { answered: open.length - missing.length, total: open.length, missing };
    },
    watch: (threadId, { signal } = {}) => watchThread(session, session.thread(threadId), signal),
    async stop(run) {
      const started = starting.get(run);
      if (started?.ended === true) return;
      if (!(await cancelledByServer(run, session))) started?.stop();
    },
    thread(threadId) {
      const thread = session.thread(threadId);
      void thread.restore();
      return thread;
    },
    threads: later(records, 'threads', ['list', 'get', 'rename', 'remove', 'erase', 'continue']),
    grants: later(records, 'grants', ['list', 'revoke']),
    files: later(records, 'files', ['list', 'upload', 'read']),
    inbox: {
      ...later(records, 'inbox', ['list', 'get', 'history', 'answer', 'takeBack', 'withdraw', 'askAgain']),
      async *watch(...request) {
        yield* (await records.load()).inbox.watch(...request);
      },
    },
  };
  return client;
}

/** The methods of a part of the host's records, which load with the first call. */
function later<Part extends keyof HostRecords, Name extends keyof HostRecords[Part] & string>(
  records: OnDemand<HostRecords>,
  part: Part,
  names: readonly Name[],
): Pick<HostRecords[Part], Name> {
  const methods = names.map((name) => [
    name,
    async (...given: unknown[]) =>
      ((await records.load())[part][name] as (...given: unknown[]) => unknown)(...given),
  ]);
  // Each of these names is a method that returns a promise.
  return Object.fromEntries(methods) as Pick<HostRecords[Part], Name>;
}

/** True when the server accepts the cancellation; then the server ends the run. */
async function cancelledByServer(
  { threadId, runId }: Pick<Run, 'threadId' | 'runId'>,
  { connection }: Pick<Session, 'connection'>,
): Promise<boolean> {
  if (connection.base === undefined) return false;
  const path = `/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(runId)}/cancel`;
  try {
    await connection.send({ url: connection.base + path, accept: 'application/json', body: {} });
    return true;
  } catch (error) {
    if (HoldpointError.is(error)) return false;
    throw error;
  }
}
