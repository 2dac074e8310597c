import { HoldpointError, within } from '../core/index.ts';
import type { Access, NoRun, ThreadKey } from '../ledger/index.ts';
import { requestCancel, threadName } from '../ledger/index.ts';
import { beginForeign } from './begin-foreign.ts';
import { beginOurs } from './begin-ours.ts';
import { readRequest } from './read-request.ts';
import type { LiveRun, PreparedRun, RunRequest, RunsOptions } from './run-request.ts';

/** The active runs of this process. */
export interface Runs {
  start(request: RunRequest): Promise<LiveRun | NoRun>;
  /** Asks a run in any process to stop. Throws `THREAD_UNKNOWN`, or `RUN_CONFLICT` if it is not active. */
  cancel(access: Access<'cancel'>, runId: string): Promise<void>;
  /** A thread has changed: a run of this process on it checks whether it is asked to stop. */
  changed(key: ThreadKey): void;
  readonly live: ReadonlyMap<string, LiveRun>;
  /**
   * Waits at most `limitMs` for the active runs; then hands them over to other processes, like runs that begin
   * meanwhile.
   */
  drain(limitMs: number): Promise<void>;
}

/** Attempts to begin a run while the conversation grows. */
const MAX_STALE = 5;

export function createRuns(options: RunsOptions): Runs {
  const { admit, onError, onEnd } = options;
  const live = new Map<string, LiveRun>();
  const starting = new Set<Promise<LiveRun | NoRun>>();
  let isClosing = false;

  const track = (run: PreparedRun): LiveRun => {
    const { lease, thread } = run.claim;
    const { key, runId } = lease;
    const name = threadName(key);
    const done = run
      .work()
      .catch((error: unknown) => {
        onError(error, { thread: key.thread, runId });
        // The end could not be written: another process continues the run when the lease ends.
        run.session.abandon();
      })
      .finally(() => {
        // Compares the run, not its id: a client may reuse a run id.
        if (live.get(name) === tracked) live.delete(name);
        onEnd(key, runId);
      });
    const eventsBefore = thread.view.thread?.active?.eventsBefore ?? 0;
    const tracked: LiveRun = { ...run, key, runId, eventsBefore, done };
    live.set(name, tracked);
    return tracked;
  };

  const begin = async (request: RunRequest): Promise<PreparedRun | NoRun> => {
    const { input, begin: asked } = await readRequest(request, options);
    const allowed = { ...request, input };
    return request.agent.isOurs ? beginOurs(allowed, asked, options) : beginForeign(allowed, asked, options);
  };

  const startNow = async (request: RunRequest): Promise<LiveRun | NoRun> => {
    for (let attempt = 0; attempt < MAX_STALE; attempt += 1) {
      assertOpen();
      const begun = await begin(request);
      if (begun.type === 'started') {
        if (isClosing) await begun.session.handOver();
        assertOpen();
        const { claimed, recovers } = begun.claim;
        // A run that continues a lost one repeats its answers.
        if (!recovers && claimed.length > 0) options.onClaimed(claimed);
        const run = track(begun);
        // The continued run was asked to stop.
        if (run.session.cancelledBy !== undefined) run.cancel();
        return run;
      }
      if (begun.type !== 'stale') return begun;
    }
    throw new HoldpointError(
      'RUN_CONFLICT',
      `The thread ${request.access.key.thread} is changed too often to begin a run.`,
    );
  };
  const assertOpen = () => {
    if (isClosing) throw new HoldpointError('UNAVAILABLE', 'The host is closing.');
  };

  const lookAgain = async (run: LiveRun): Promise<void> => {
    await run.session.refresh().catch(() => undefined);
    if (run.session.cancelledBy !== undefined) run.cancel();
  };

  return {
    live,
    async start(request) {
      const leave = admit(request);
      const started = startNow(request);
      starting.add(started);
      let run: LiveRun | NoRun | undefined;
      try {
        run = await started;
        return run;
      } finally {
        starting.delete(started);
        if (run?.type === 'started') void run.done.then(leave, leave);
        else leave();
      }
    },
    async cancel(access, runId) {
      await requestCancel(access, runId);
      live.get(threadName(access.key))?.cancel();
    },
    changed(key) {
      const run = live.get(threadName(key));
      if (run === undefined) return;
      void lookAgain(run);
    },
    async drain(limitMs) {
      isClosing = true;
      await within(Promise.all([...live.values()].map(({ done }) => done)), limitMs);
      const left = [...live.values()].map(({ session, key, runId }) =>
        session.handOver().catch((error: unknown) => onError(error, { thread: key.thread, runId })),
      );
      await Promise.all(left);
      await Promise.allSettled(starting);
    },
  };
}
