import { checkAnswer } from '../../content/questions/index.ts';
import type { IdGenerator } from '../../core/index.ts';
import { HoldpointError } from '../../core/index.ts';
import type { AgentContext } from '../../engine/index.ts';
import { beginDurable, LEASE_MS, readConversation, toLog } from '../../engine/index.ts';
import type {
  BeginRun,
  Begun,
  OnExpire,
  Principal,
  RunSession,
  StartedRun,
  ThreadKey,
  ThreadRecord,
  Vault,
} from '../../ledger/index.ts';
import {
  beginRun,
  openAnswers,
  openQuestions,
  openSession,
  readThread,
  requestCancel,
} from '../../ledger/index.ts';
import type { AgentStreamEvent, RunAgentInput } from '../../protocol/index.ts';
import { EventType } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import type { HostAgent } from '../agents/host-agent.ts';
import type { EventLog } from './event-log.ts';
import { createEventLog } from './event-log.ts';
import { runForeign } from './foreign-run.ts';
import { isForeignTurn } from './foreign-turn.ts';
import { newMessages } from './merge-messages.ts';

/** A run at work in this process. */
export interface LiveRun {
  readonly key: ThreadKey;
  readonly runId: string;
  /** Where the thread's log of events ended before it. */
  readonly eventsBefore: number;
  /** Resolves when it is over, however it ended. */
  readonly done: Promise<void>;
  /** Stops it at its next call. */
  cancel(): void;
}

export interface RunRequest {
  readonly key: ThreadKey;
  readonly agent: HostAgent;
  readonly principal: Principal;
  readonly input: RunAgentInput;
  readonly uncovered?: BeginRun['uncovered'];
  readonly continues?: BeginRun['continues'];
}

export type Started = { readonly type: 'started'; readonly run: LiveRun } | Exclude<Begun, StartedRun>;

export interface RunsOptions {
  readonly store: Store;
  readonly newId: IdGenerator;
  readonly leaseMs?: number | undefined;
  readonly maxRuns: number;
  readonly mayAnswer: BeginRun['mayAnswer'];
  readonly quotas: BeginRun['quotas'];
  readonly onExpire: OnExpire | undefined;
  /** Where secret answers are kept; undefined where there is no key. */
  readonly vault: () => Promise<Vault | undefined>;
  /** What surrounds every run: policies, grants, the mode. */
  readonly contextFor: (request: RunRequest) => AgentContext;
  readonly onError: (error: unknown, where: { readonly thread: string; readonly runId: string }) => void;
  readonly onEnd: (key: ThreadKey, runId: string) => void;
}

/** The runs of this process: begun, at work, and stopped. */
export interface Runs {
  start(request: RunRequest): Promise<Started>;
  /** Asks a run to stop, wherever it is at work. Throws `THREAD_UNKNOWN`, or `RUN_CONFLICT` when it is not at work. */
  cancel(key: ThreadKey, runId: string, by: Principal): Promise<void>;
  /** Somebody changed a thread: a run of this process on it looks whether that was to stop it. */
  changed(key: ThreadKey): void;
  readonly live: ReadonlyMap<string, LiveRun>;
  /** Waits for the runs that are at work, at most so long; those that are not done then are left to others. */
  drain(limitMs: number): Promise<void>;
}

/** Tries that a conversation may grow between the reading and the claim. */
const MAX_STALE = 5;

export function createRuns(options: RunsOptions): Runs {
  const { store, newId, maxRuns, onError, onEnd } = options;
  const live = new Map<string, LiveRun & { readonly session: RunSession }>();
  const nameOf = ({ scope, thread }: ThreadKey) => JSON.stringify([scope, thread]);

  const track = (
    run: Omit<LiveRun, 'done'> & { readonly session: RunSession },
    work: Promise<void>,
  ): LiveRun => {
    const name = nameOf(run.key);
    const done = work
      .catch((error: unknown) => {
        onError(error, { thread: run.key.thread, runId: run.runId });
        // Its end could not be written: whoever comes when the lease is over goes on.
        run.session.abandon();
      })
      .finally(() => {
        // Not by its id: a client may give the next run the same.
        if (live.get(name) === tracked) live.delete(name);
        onEnd(run.key, run.runId);
      });
    const tracked: LiveRun & { readonly session: RunSession } = { ...run, done };
    live.set(name, tracked);
    return tracked;
  };

  const begin = async (request: RunRequest): Promise<Started> => {
    const { key, agent, input } = request;
    // In this order: what is added to the conversation meanwhile is noticed when the run begins.
    const thread = await readThread(store, key);
    assertItsTurn(request, thread);
    const [known, asked] = await Promise.all([
      readConversation(store, key),
      thread?.batch === undefined ? [] : openQuestions(store, key),
    ]);
    const fresh = request.continues === undefined ? newMessages(input, known, { thread, asked }) : [];
    const replaces =
      typeof input.state === 'object' && input.state !== null && Object.keys(input.state).length > 0;
    const given = {
      key,
      runId: input.runId,
      agent: agent.id,
      principal: request.principal,
      entries: input.resume ?? [],
      newMessages: toLog(fresh),
      expectMessages: thread?.logs.messages ?? 0,
      ...titleOf(fresh),
      via: request.continues === 'background' ? ('inbox' as const) : ('ag-ui' as const),
      mayAnswer: options.mayAnswer,
      quotas: options.quotas,
      vault: await options.vault(),
      ...(replaces ? { state: input.state as BeginRun['state'] & object } : {}),
      ...(request.uncovered === undefined ? {} : { uncovered: request.uncovered }),
      ...(request.continues === undefined ? {} : { continues: request.continues }),
    };
    const { leaseMs = LEASE_MS } = options;
    return agent.isOurs
      ? beginOurs(request, { ...given, leaseMs })
      : beginForeign(request, { ...given, leaseMs });
  };

  const beginOurs = async (request: RunRequest, given: BeginRun): Promise<Started> => {
    const { agent, input, key } = request;
    const logs: EventLog[] = [];
    const begun = await beginDurable({
      ...given,
      store,
      tools: agent.agent.tools ?? [],
      newId,
      onExpire: options.onExpire,
      wrapSession(session, started, messages) {
        const messageHead = started.thread.view.thread?.logs.messages ?? 0;
        const log = createEventLog(session, { messages, messageHead });
        logs.push(log);
        return log.session;
      },
    });
    if (begun.type !== 'run') return begun;
    const { run } = begun;
    const { answers, state, session } = run;
    const { resume: _given, ...rest } = input;
    const own: RunAgentInput = {
      ...rest,
      messages: [],
      state,
      ...(answers.length === 0 ? {} : { resume: [...answers] }),
    };
    const context: AgentContext = {
      ...options.contextFor(request),
      ...run.context,
      principal: run.started.thread.view.thread?.principal ?? request.principal,
      onEvent: withStateFirst(state, (event) => logs[0]?.write(event)),
      newId,
    };
    const work = async () => {
      for await (const _event of agent.agent.run(own, context)) {
        // Kept as they were made.
      }
    };
    const { eventsBefore, runId } = whereItIs(run.started);
    const tracked = track({ key, runId, eventsBefore, session, cancel: () => run.cancel() }, work());
    return { type: 'started', run: tracked };
  };

  const beginForeign = async (request: RunRequest, given: BeginRun): Promise<Started> => {
    const { agent, input, key } = request;
    const begun = await beginRun(store, {
      ...given,
      rules: (record, entry) => checkAnswer(record.interrupt, entry),
    });
    if (begun.type !== 'started') return begun;
    const opened = openSession(store, begun, { leaseMs: given.leaseMs });
    const messageHead = begun.thread.view.thread?.logs.messages ?? 0;
    const log = createEventLog(opened, { messageHead });
    const cancel = new AbortController();
    const { eventsBefore, runId } = whereItIs(begun);
    const work = async () => {
      const conversation = await readConversation(store, key);
      await runForeign({
        agent,
        started: begun,
        vault: given.vault,
        opened: (answers) => openAnswers(store, { ...begun, answers }, given.vault),
        conversation,
        input,
        log,
        context: {
          ...options.contextFor(request),
          principal: begun.thread.view.thread?.principal ?? request.principal,
          openInterrupts: begun.claimed.map(({ interrupt }) => interrupt),
          newId,
        },
        cancelSignal: cancel.signal,
        newId,
        usedIds: async (ids) => {
          const rows = await store.get(
            'interrupts',
            ids.map((id) => ({ ...key, id })),
          );
          return new Set(rows.flatMap((row) => (row === undefined ? [] : [row.key.id])));
        },
        onError: (error) => onError(error, { thread: key.thread, runId }),
      });
    };
    const run = { key, runId, eventsBefore, session: log.session, cancel: () => cancel.abort() };
    return { type: 'started', run: track(run, work()) };
  };

  const lookAgain = async (run: LiveRun & { readonly session: RunSession }): Promise<void> => {
    await run.session.refresh().catch(() => undefined);
    if (run.session.cancelledBy !== undefined) run.cancel();
  };

  return {
    live,
    async start(request) {
      if (live.size >= maxRuns) {
        throw new HoldpointError('RATE_LIMITED', `${maxRuns} runs are at work here already; try again.`);
      }
      for (let attempt = 0; attempt < MAX_STALE; attempt += 1) {
        const begun = await begin(request);
        if (begun.type !== 'stale') return begun;
      }
      throw new HoldpointError(
        'RUN_CONFLICT',
        `The thread ${request.key.thread} is changed too often to begin a run.`,
      );
    },
    async cancel(key, runId, by) {
      await requestCancel(store, { key, runId, by: by.id });
      live.get(nameOf(key))?.cancel();
    },
    changed(key) {
      const run = live.get(nameOf(key));
      if (run === undefined) return;
      void lookAgain(run);
    },
    async drain(limitMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs);
      });
      await Promise.race([Promise.all([...live.values()].map(({ done }) => done)), limit]);
      clearTimeout(timer);
      for (const { session } of live.values()) session.abandon();
    },
  };
}

/**
 * What an agent left open is for that agent: another would take the answers and do nothing with them. Agents of ours can go
 * on with each other's turns, as far as they have the tools. Throws `INTERRUPT_UNKNOWN` or `RUN_CONFLICT`.
 */
function assertItsTurn({ agent, input, key }: RunRequest, thread: ThreadRecord | undefined): void {
  if (thread?.turn === undefined || thread.agent === agent.id) return;
  if (agent.isOurs && !isForeignTurn(thread.turn)) return;
  const sentence = `The thread ${key.thread} waits for the agent ${thread.agent}, not for ${agent.id}.`;
  if ((input.resume ?? []).length > 0) throw new HoldpointError('INTERRUPT_UNKNOWN', sentence);
  if (thread.batch === undefined) throw new HoldpointError('RUN_CONFLICT', sentence);
}

/** The first thing somebody says is what a thread is about. */
function titleOf(fresh: ReturnType<typeof newMessages>): { readonly title?: string } {
  for (const message of fresh) {
    if ('role' in message && message.role === 'user' && typeof message.content === 'string') {
      return { title: message.content.slice(0, 80) };
    }
  }
  return {};
}

/** A patch says nothing to whoever does not know what it changes: the state as the run found it comes before the first. */
function withStateFirst(
  state: unknown,
  write: (event: AgentStreamEvent) => void,
): (event: AgentStreamEvent) => void {
  let isKnown = false;
  return (event) => {
    if (event.type === EventType.STATE_DELTA && !isKnown)
      write({ type: EventType.STATE_SNAPSHOT, snapshot: state });
    isKnown ||= event.type === EventType.STATE_DELTA || event.type === EventType.STATE_SNAPSHOT;
    write(event);
  };
}

function whereItIs({ thread, lease }: StartedRun): { readonly eventsBefore: number; readonly runId: string } {
  return { eventsBefore: thread.view.thread?.active?.eventsBefore ?? 0, runId: lease.runId };
}
