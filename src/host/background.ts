import { everyPage, HoldpointError, unref } from '../core/index.ts';
import type { Principal, ThreadKey, ThreadRecord } from '../ledger/index.ts';
import {
  abandonedThreads,
  anchorNewest,
  ANONYMOUS,
  closeLostRun,
  collectChanges,
  expireDue,
  markRestored,
  operatorAccess,
  readThread,
  threadName,
  trimEvents,
} from '../ledger/index.ts';
import type { HostAgent, Runs } from '../runs/index.ts';
import { canStandIn, standInFor } from '../runs/index.ts';
import type { Store } from '../store/index.ts';
import type { AgentDirectory } from './agent-directory.ts';
import type { HostMetrics } from './host-metrics.ts';

export interface BackgroundOptions {
  readonly store: Store;
  readonly agents: AgentDirectory;
  readonly runs: Runs;
  readonly newId: () => string;
  readonly everyMs: number;
  /** Milliseconds for which the events of an ended run are kept. */
  readonly keepEventsMs: number;
  readonly onSwept: HostMetrics['swept'];
  /** Whether other hosts on the store have agents that this host does not know. */
  readonly agentsElsewhere: boolean;
  readonly onError: (error: unknown) => void;
  /** Called once for each thread that is ready but whose agent is unknown here. */
  readonly onUnknownAgent: (key: ThreadKey, agent: string) => void;
}

/**
 * Milliseconds after which a host without the agent closes a cancelled batch, so that a host with the agent comes
 * first.
 */
const LEFT_TO_OTHERS_MS = 60_000;

/** Milliseconds between two entries of this host in the chain of anchors. */
const ANCHOR_EVERY_MS = 60_000;

/** Threads that a host looks at when it first anchors, because another process may have ended before it anchored them. */
const MOST_LEFT_OVER = 10_000;

/**
 * Continues threads without a client: completed batches and lost runs. Also ends expired interrupts and trims old
 * events.
 */
export interface Background {
  /** Continues one thread now. */
  goOn(key: ThreadKey): Promise<void>;
  /** Whether this host, or another, can continue a completed batch of an agent. A cancelled batch needs no agent. */
  canGoOn(key: ThreadKey, agent: string): Promise<boolean>;
  /** Looks for work once; resolves when the work has begun. */
  sweep(): Promise<void>;
  /** Anchors the ends of the histories that this process changed. A host that never sweeps anchors nothing. */
  anchor(): Promise<void>;
  /** A run of a principal has ended: continues a thread that waited for it. */
  madeRoom(principal: Principal): void;
  stop(): Promise<void>;
}

export function startBackground(options: BackgroundOptions): Background {
  const { store, agents, runs, newId, everyMs, onError } = options;
  let stopped = false;
  let sweeping: Promise<void> | undefined;
  let lookAgainAt = 0;
  const reported = new Set<string>();
  const patienceMs = options.agentsElsewhere ? LEFT_TO_OTHERS_MS : 0;

  /** Closes a cancelled batch without its agent, after other hosts had time to do it with the agent. */
  const withoutAgent = async (
    key: ThreadKey,
    thread: ThreadRecord,
    leaveMs: number,
  ): Promise<HostAgent | undefined> => {
    const { readyAt, active, agent } = thread;
    const now = await store.now();
    const since = readyAt ?? active?.leaseUntil ?? now;
    if (since + leaveMs <= now && (await canStandIn(operatorAccess(store, key), thread)))
      return standInFor(thread);
    const name = threadName(key);
    if (since + patienceMs > now || reported.has(name)) return undefined;
    reported.add(name);
    options.onUnknownAgent(key, agent);
    return undefined;
  };
  /** Threads that wait until a run of their principal ends; the next sweep tries them too. */
  const waiting = new Map<string, Map<string, ThreadKey>>();
  const nameOf = ({ scope, id }: Principal) => JSON.stringify([scope, id]);
  const waitFor = (principal: Principal, key: ThreadKey): void => {
    const name = nameOf(principal);
    const keys = waiting.get(name) ?? new Map<string, ThreadKey>();
    waiting.set(name, keys.set(threadName(key), key));
  };
  /** Returns whether there was something to continue. */
  const goOn = async (key: ThreadKey, leaveMs: number): Promise<boolean> => {
    const thread = await readThread(operatorAccess(store, key));
    if (thread === undefined || stopped) return false;
    const agent = agents.resolve(thread.agent) ?? (await withoutAgent(key, thread, leaveMs));
    if (agent === undefined) return false;
    reported.delete(threadName(key));
    if (!agent.isOurs && agent.takesUp !== true && isLostBeforeAnyAnswer(thread)) {
      return closeLostRun(operatorAccess(store, key));
    }
    const principal: Principal = thread.principal ?? { ...ANONYMOUS, scope: key.scope };
    const access = operatorAccess(store, key, principal);
    const input = { threadId: key.thread, runId: newId(), messages: [], tools: [], context: [], state: {} };
    try {
      const { type } = await runs.start({ access, agent, input, continues: 'background' });
      return type === 'started';
    } catch (error) {
      // Nothing was begun: the thread stays ready.
      if (!HoldpointError.is(error, 'RATE_LIMITED')) throw error;
      waitFor(principal, key);
      return false;
    }
  };
  const attempt = (key: ThreadKey, leaveMs: number): Promise<boolean> =>
    goOn(key, leaveMs).catch((error: unknown) => {
      onError(error);
      return false;
    });
  /**
   * Checks the processes of active runs. The interval grows with their number, so that checks take at most a
   * twentieth of the time.
   */
  const findAbandoned = async (): Promise<ThreadKey[]> => {
    const began = performance.now();
    if (began < lookAgainAt) return [];
    const keys: ThreadKey[] = [];
    for await (const key of abandonedThreads(store)) keys.push(key);
    const ended = performance.now();
    lookAgainAt = ended + 20 * (ended - began);
    return keys;
  };
  const anchorChanges = collectChanges(store);
  let anchorAt: number | undefined;
  let hasAnchored = false;
  /** Once a minute, never in the commit of a thread. */
  const anchor = async (now: number): Promise<void> => {
    anchorAt ??= now + ANCHOR_EVERY_MS;
    if (now < anchorAt) return;
    anchorAt = now + ANCHOR_EVERY_MS;
    if (!hasAnchored) await anchorNewest(store, MOST_LEFT_OVER);
    hasAnchored = true;
    await anchorChanges();
  };
  let incarnation = store.incarnation?.id;
  /** Marks a database that another program has replaced; `holdpoint restore` marks its databases itself. */
  const markReplaced = async (): Promise<void> => {
    // The store notices a replaced file on use.
    await store.get('threads', []);
    const { id, restoredAt } = store.incarnation ?? {};
    if (id === undefined || id === incarnation) return;
    if (incarnation !== undefined && restoredAt !== undefined) await markRestored(store);
    incarnation = id;
  };
  const sweep = async (): Promise<void> => {
    await markReplaced();
    options.onSwept('expired', await expireDue(store));
    // Includes work that is due in this millisecond.
    const dueBefore = (await store.now()) + 1;
    let found = 0;
    const due = { table: 'threads', status: ['ready', 'active'], dueBefore, order: 'due' } as const;
    // Reads all pages, so that threads of unknown agents do not hide the others.
    for await (const page of everyPage((from) => store.list({ ...due, ...from }))) {
      for (const { key } of page.rows) {
        if (stopped) return;
        if (await attempt({ scope: key.scope, thread: key.thread }, LEFT_TO_OTHERS_MS)) found += 1;
      }
    }
    for (const key of await findAbandoned()) {
      if (stopped) return;
      if (await attempt(key, LEFT_TO_OTHERS_MS)) found += 1;
    }
    options.onSwept('continued', found);
    options.onSwept('trimmed', await trimEvents(store, { keepMs: options.keepEventsMs }));
    await anchor(dueBefore);
  };
  const tick = (): Promise<void> => {
    sweeping ??= sweep()
      .catch(onError)
      .finally(() => {
        sweeping = undefined;
      });
    return sweeping;
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void tick(), everyMs);
  unref(timer);
  return {
    async goOn(key) {
      await attempt(key, patienceMs);
    },
    async canGoOn(key, agent) {
      if (options.agentsElsewhere || agents.resolve(agent) !== undefined) return true;
      const access = operatorAccess(store, key);
      const thread = await readThread(access);
      return thread?.batch === undefined || canStandIn(access, thread);
    },
    sweep: tick,
    async anchor() {
      if (everyMs > 0) await anchorChanges().catch(onError);
    },
    madeRoom(principal) {
      const name = nameOf(principal);
      const own = waiting.has(name) ? name : [...waiting.keys()][0];
      const keys = own === undefined ? undefined : waiting.get(own);
      const [next] = keys ?? [];
      if (own === undefined || keys === undefined || next === undefined || stopped) return;
      keys.delete(next[0]);
      if (keys.size === 0) waiting.delete(own);
      void attempt(next[1], patienceMs);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

/**
 * Whether a foreign agent was lost while it worked on a message: its progress is unknown, and no answer is involved.
 */
function isLostBeforeAnyAnswer({ active, claimed, batch }: ThreadRecord): boolean {
  return active !== undefined && claimed === undefined && batch === undefined;
}
