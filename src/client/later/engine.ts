import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { HoldpointError } from '../../core/basics/index.ts';
import { checkStaged } from '../answers/check-answers.ts';
import type { ClientOptions } from '../client-options.ts';
import type { OnThread, Staged } from '../client.ts';
import type { Inbox } from '../inbox.ts';
import { prepareRun } from '../run/prepare-run.ts';
import { readAnswers } from '../run/read-request.ts';
import type { AnswerInput, RunOptions, RunRequest, RunUpdate } from '../run/run.ts';
import type { StartedRun } from '../run/start-run.ts';
import { startRun } from '../run/start-run.ts';
import type { Session } from '../session.ts';
import { createSession } from '../session.ts';
import { streamTools } from '../stream/stream-tools.ts';
import type { Thread } from '../thread/thread.ts';

/** What does a client's work: everything that reads, checks and remembers. */
export interface Engine<Request extends CustomRequest, Response extends CustomResponse> {
  readonly session: Session<Request, Response>;
  run(request: RunRequest<Response> & OnThread, runId: string): StartedRun<Request>;
  connect(request: RunOptions & OnThread, runId: string): StartedRun<Request>;
  stage(on: OnThread, answers: readonly AnswerInput<Response>[]): Promise<Staged>;
  watch(threadId: string, signal?: AbortSignal): AsyncIterable<RunUpdate<Request>>;
  stop(started: StartedRun<Request>): Promise<void>;
  thread(threadId: string): Promise<Thread>;
  inbox(): Promise<Inbox>;
}

export function createEngine<Request extends CustomRequest, Response extends CustomResponse>(
  options: ClientOptions<Request, Response> & Pick<Session, 'newId'>,
): Engine<Request, Response> {
  const session = createSession(options);
  return {
    session,
    run(request, runId) {
      const thread = session.thread(request.threadId);
      return startRun(session, thread, {
        ...request,
        runId,
        prepare: () => prepareRun(request, session, thread),
      });
    },
    connect: ({ threadId, ...more }, runId) =>
      startRun(session, session.thread(threadId), {
        ...more,
        runId,
        connect: true,
        prepare: () => Promise.resolve(undefined),
      }),
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
    async *watch(threadId, signal) {
      const { watchThread } = await import('./watch-thread.ts');
      yield* watchThread(session, session.thread(threadId), { tools: streamTools, signal });
    },
    async stop(started) {
      if (!started.ended && !(await cancelledByServer(started.run, session))) started.stop();
    },
    async thread(threadId) {
      const thread = session.thread(threadId);
      await thread.restore();
      return thread;
    },
    inbox: async () => (await import('./inbox-requests.ts')).createInboxRequests(session, streamTools),
  };
}

/** True when the server took the wish: it will end the run itself. */
async function cancelledByServer(
  { threadId, runId }: { readonly threadId: string; readonly runId: string },
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
