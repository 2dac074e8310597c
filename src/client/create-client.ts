import type { CustomRequest, CustomResponse } from '../content/index.ts';
import { onDemand } from '../core/basics/index.ts';
import type { ClientOptions } from './client-options.ts';
import type { Client } from './client.ts';
import { newId as randomId } from './new-id.ts';
import type { Run } from './run/run.ts';
import type { StartedRun } from './run/start-run.ts';
import { createThreadFace } from './thread/thread-face.ts';
import type { Thread } from './thread/thread.ts';

/**
 * A client of one agent: a Holdpoint host's, or any that speaks AG-UI in a form that can be told apart. Every
 * error is a `HoldpointError`; its `code` says what happened. What reads and checks is loaded with the first use.
 */
export function createClient<Request extends CustomRequest = never, Response extends CustomResponse = never>(
  options: ClientOptions<Request, Response>,
): Client<Request, Response> {
  const { newId = randomId } = options;
  const engine = onDemand(async () =>
    (await import('./later/engine.ts')).createEngine({ ...options, newId }),
  );
  const inbox = onDemand(async () => (await engine.load()).inbox());
  const threads = new Map<string, Thread>();
  const starting = new WeakMap<Run<Request>, Promise<StartedRun<Request>>>();

  const thread = (threadId: string): Thread => {
    const known = threads.get(threadId);
    if (known !== undefined) return known;
    const face = createThreadFace(threadId, {
      loaded: () => engine.loaded?.session.thread(threadId),
      load: async () => (await engine.load()).thread(threadId),
    });
    threads.set(threadId, face);
    return face;
  };
  const start = (threadId: string, begin: (runId: string) => Promise<StartedRun<Request>>): Run<Request> => {
    const firstId = newId();
    const started = begin(firstId);
    let live: Run<Request> | undefined;
    const finished = started.then(({ run }) => {
      live = run;
      return run.finished;
    });
    // Whoever only reads the updates is told there.
    finished.catch(() => undefined);
    const run: Run<Request> = {
      threadId,
      get runId() {
        return live?.runId ?? firstId;
      },
      thread: thread(threadId),
      finished,
      async *[Symbol.asyncIterator]() {
        yield* (await started).run;
      },
    };
    starting.set(run, started);
    return run;
  };
  const client: Client<Request, Response> = {
    run(request = {}) {
      const threadId = request.threadId ?? newId();
      return start(threadId, async (runId) => (await engine.load()).run({ ...request, threadId }, runId));
    },
    resume: ({ threadId }, answers = [], more = {}) => client.run({ ...more, threadId, resume: answers }),
    connect: (threadId, more = {}) =>
      start(threadId, async (runId) => (await engine.load()).connect({ ...more, threadId }, runId)),
    stage: async (on, answers) => (await engine.load()).stage(on, answers),
    async *watch(threadId, { signal } = {}) {
      yield* (await engine.load()).watch(threadId, signal);
    },
    async stop(run) {
      const started = await starting.get(run);
      if (started !== undefined) await (await engine.load()).stop(started);
    },
    thread,
    inbox: {
      list: async (...request) => (await inbox.load()).list(...request),
      get: async (...request) => (await inbox.load()).get(...request),
      history: async (...request) => (await inbox.load()).history(...request),
      answer: async (...request) => (await inbox.load()).answer(...request),
      askAgain: async (...request) => (await inbox.load()).askAgain(...request),
      async *watch(signal) {
        yield* (await inbox.load()).watch(signal);
      },
    },
  };
  return client;
}
