import type { CustomRequest, CustomResponse } from '../../content/index.ts';
import { defined, HoldpointError } from '../../core/index.ts';
import type { ResumeEntry, RunFinishedEvent } from '../../protocol/index.ts';
import { isUnsupported } from '../failures.ts';
import type { Session } from '../session.ts';
import { otherForms } from '../stream/frame-decoder.ts';
import type { ThreadStore } from '../thread/thread-store.ts';
import { createEventLog } from './event-log.ts';
import { buildInput, contentParts } from './prepare-run.ts';
import { requestRun } from './request-run.ts';
import type { Finished, Run, RunOptions } from './run.ts';

/** A run to start. */
export interface RunPlan extends RunOptions {
  /** Id of the first request. */
  readonly runId: string;
  /** True: only loads the thread, runs nothing. */
  readonly connect?: boolean;
  /** Rejects the run, or returns the answers to send. */
  readonly prepare: () => Promise<readonly ResumeEntry[] | undefined>;
}

export interface StartedRun<Request extends CustomRequest> {
  readonly run: Run<Request>;
  readonly ended: boolean;
  /** Ends the run in the client, with the outcome `cancelled`. */
  stop(): void;
}

/** Starts a run; every error, also one before the first request, rejects `finished`. */
export function startRun<Request extends CustomRequest, Response extends CustomResponse>(
  session: Session<Request, Response>,
  thread: ThreadStore,
  plan: RunPlan,
): StartedRun<Request> {
  const log = createEventLog();
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, plan.signal ?? stopping.signal]);
  let { runId } = plan;
  let sent = false;
  let ended = false;

  const request = (resume: readonly ResumeEntry[] | undefined) =>
    requestRun({
      session,
      thread,
      signal,
      url: plan.connect === true ? session.connection.connectUrl : session.connection.runUrl,
      snapshot: plan.connect === true,
      input: buildInput(thread, plan, {
        runId,
        resume,
        tools: session.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      }),
      onEvent(event) {
        if ('runId' in event && event.runId !== undefined) ({ runId } = event);
        log.push(event);
      },
    });

  const work = async (): Promise<Finished> => {
    await thread.restore();
    const resume = await plan.prepare();
    // A resume keeps the state of the interrupted run.
    if (plan.state !== undefined && resume === undefined) thread.setState(plan.state);
    // Loading the thread runs no tools.
    if (plan.connect === true) return { ...finish(await request(resume), thread), ...shown(thread) };
    sent = true;
    thread.progress({ status: 'running', runId });
    const end = await request(resume);
    if (session.tools.length === 0) return finish(end, thread);
    const { runTools } = await contentParts.load();
    return finish(
      await runTools(end, {
        session,
        thread,
        signal,
        again() {
          runId = session.newId();
          return request(undefined);
        },
      }),
      thread,
    );
  };

  const run: Run<Request> = {
    threadId: thread.threadId,
    get runId() {
      return runId;
    },
    thread,
    finished: settle(),
    async *[Symbol.asyncIterator]() {
      const read = (await contentParts.load()).createUpdateReader(session, thread, otherForms);
      for await (const event of log.read()) yield read(event);
    },
  };
  return {
    run,
    get ended() {
      return ended;
    },
    stop: () => stopping.abort(STOPPED),
  };

  async function settle(): Promise<Finished> {
    const token = {};
    try {
      if (thread.active !== undefined) {
        throw new HoldpointError(
          'RUN_CONFLICT',
          `A run is active on the thread ${thread.threadId}. Wait for its end, or stop it.`,
        );
      }
      thread.active = token;
      const finished = await work().catch((error: unknown) => recover(error));
      log.end();
      return finished;
    } catch (error) {
      log.end({ error });
      throw error;
    } finally {
      ended = true;
      if (thread.active === token) thread.active = undefined;
      await thread.save();
    }
  }

  /** Returns the outcome of a stopped run; other errors are shown on the thread and thrown. */
  function recover(error: unknown): Finished {
    const isOurs = sent || thread.getSnapshot().runId === runId;
    if (signal.aborted) {
      if (isOurs) thread.settle(runId);
      if (signal.reason === STOPPED) return { ...shown(thread), outcome: 'cancelled' };
      throw signal.reason;
    }
    if (plan.connect === true && isUnsupported(error)) return shown(thread);
    if (isOurs && thread.getSnapshot().status !== 'failed') {
      thread.progress({
        status: 'failed',
        runId,
        ...defined({ error: HoldpointError.is(error) ? error : undefined }),
      });
    }
    throw error;
  }
}

/** The reason of a signal that `stop` aborted. */
const STOPPED = Symbol('stopped');

/** The thread as this client knows it. */
function shown(thread: ThreadStore): Finished {
  const { messages, state, open: interrupts = [] } = thread;
  return { outcome: interrupts.length > 0 ? 'interrupt' : 'success', interrupts, messages, state };
}

function finish(end: RunFinishedEvent, thread: ThreadStore): Finished {
  const { result, usage, outcome = { type: 'success' } } = end;
  const pendingToolCallIds = outcome.type === 'success' ? outcome.pendingToolCallIds : undefined;
  return {
    outcome: outcome.type,
    interrupts: outcome.type === 'interrupt' ? outcome.interrupts : [],
    messages: thread.messages,
    state: thread.state,
    ...defined({ result, usage, pendingToolCallIds }),
  };
}
