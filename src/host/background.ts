import { defined } from '../core/index.ts';
import type { InterruptRecord, Principal, ThreadKey, ThreadRecord } from '../ledger/index.ts';
import {
  abandonedThreads,
  ANONYMOUS,
  closeLostRun,
  expireDue,
  markRestored,
  openQuestions,
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
import type { HostOptions } from './host-options.ts';

export interface BackgroundOptions {
  readonly store: Store;
  readonly agents: AgentDirectory;
  readonly runs: Runs;
  readonly newId: () => string;
  readonly everyMs: number;
  /** How long the events of a run that is over are kept. */
  readonly keepEventsMs: number;
  readonly onSwept: HostMetrics['swept'];
  /** Other hosts of the store have agents that this one does not know. */
  readonly agentsElsewhere: boolean;
  readonly onError: (error: unknown) => void;
  /** A thread could go on, and nobody here knows its agent; told once for each. */
  readonly onUnknownAgent: (key: ThreadKey, agent: string) => void;
}

/** Milliseconds that a host which may know the agent has to go on with what was cancelled, before another closes it. */
const LEFT_TO_OTHERS_MS = 60_000;

/**
 * Goes on with what nobody is there for: batches that people completed, runs whose process is gone, questions whose time is
 * over, and events that nobody comes back to.
 */
export interface Background {
  /** Goes on with one thread now. */
  goOn(key: ThreadKey): Promise<void>;
  /** Whether somebody goes on with a batch that is complete: its last answer may be a cancellation, which needs no agent. */
  canGoOn(key: ThreadKey): Promise<boolean>;
  /** Looks for work once; resolves when what it found has been begun. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function startBackground(options: BackgroundOptions): Background {
  const { store, agents, runs, newId, everyMs, onError } = options;
  let stopped = false;
  let sweeping: Promise<void> | undefined;
  let lookAgainAt = 0;
  const strangers = new Set<string>();
  const patienceMs = options.agentsElsewhere ? LEFT_TO_OTHERS_MS : 0;

  /** What was cancelled needs no agent to be over; but one that is known elsewhere is told of it first. */
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
    if (since + patienceMs > now || strangers.has(name)) return undefined;
    strangers.add(name);
    options.onUnknownAgent(key, agent);
    return undefined;
  };
  /** Says whether there was something to go on with. */
  const goOn = async (key: ThreadKey, leaveMs: number): Promise<boolean> => {
    const thread = await readThread(operatorAccess(store, key));
    if (thread === undefined || stopped) return false;
    const agent = agents.resolve(thread.agent) ?? (await withoutAgent(key, thread, leaveMs));
    if (agent === undefined) return false;
    strangers.delete(threadName(key));
    if (!agent.isOurs && isLostBeforeAnyAnswer(thread)) {
      return closeLostRun(operatorAccess(store, key));
    }
    const principal: Principal = thread.principal ?? { ...ANONYMOUS, scope: key.scope };
    const access = operatorAccess(store, key, principal);
    const input = { threadId: key.thread, runId: newId(), messages: [], tools: [], context: [], state: {} };
    const { type } = await runs.start({ access, agent, input, continues: 'background' });
    return type === 'started';
  };
  const attempt = (key: ThreadKey, leaveMs: number): Promise<boolean> =>
    goOn(key, leaveMs).catch((error: unknown) => {
      onError(error);
      return false;
    });
  /** Every run that is at work is looked at, so many of them are looked at less often: for a twentieth of the time at most. */
  const findAbandoned = async (): Promise<ThreadKey[]> => {
    const began = performance.now();
    if (began < lookAgainAt) return [];
    const keys: ThreadKey[] = [];
    for await (const key of abandonedThreads(store)) keys.push(key);
    const ended = performance.now();
    lookAgainAt = ended + 20 * (ended - began);
    return keys;
  };
  let incarnation = store.incarnation?.id;
  /** Another program has put a copy in the place of the database; `holdpoint restore` has marked what it put there. */
  const markReplaced = async (): Promise<void> => {
    // A store notices when it is used.
    await store.get('threads', []);
    const { id, restoredAt } = store.incarnation ?? {};
    if (id === undefined || id === incarnation) return;
    if (incarnation !== undefined && restoredAt !== undefined) await markRestored(store);
    incarnation = id;
  };
  const sweep = async (): Promise<void> => {
    await markReplaced();
    options.onSwept('expired', await expireDue(store));
    // What is due in this very millisecond is due.
    const dueBefore = (await store.now()) + 1;
    let found = 0;
    let cursor: string | undefined;
    // All pages: what nobody here can go on with must not stand before the rest.
    do {
      const page = await store.list({
        table: 'threads',
        status: ['ready', 'active'],
        dueBefore,
        order: 'due',
        ...defined({ cursor }),
      });
      for (const { key } of page.rows) {
        if (stopped) return;
        if (await attempt({ scope: key.scope, thread: key.thread }, LEFT_TO_OTHERS_MS)) found += 1;
      }
      cursor = page.next;
    } while (cursor !== undefined);
    for (const key of await findAbandoned()) {
      if (stopped) return;
      if (await attempt(key, LEFT_TO_OTHERS_MS)) found += 1;
    }
    options.onSwept('continued', found);
    options.onSwept('trimmed', await trimEvents(store, { keepMs: options.keepEventsMs }));
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
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return {
    async goOn(key) {
      await attempt(key, patienceMs);
    },
    async canGoOn(key) {
      if (options.agentsElsewhere) return true;
      const access = operatorAccess(store, key);
      const thread = await readThread(access);
      if (thread?.batch === undefined || agents.resolve(thread.agent) !== undefined) return true;
      return canStandIn(access, thread);
    },
    sweep: tick,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** A foreign agent that was lost in the middle of a plain message: what it did is not known, and nobody waits for it. */
function isLostBeforeAnyAnswer({ active, claimed, batch }: ThreadRecord): boolean {
  return active !== undefined && claimed === undefined && batch === undefined;
}

/** Notifies the application of the open interrupts of a thread that match; it does not wait for the application. */
export type TellOfQuestions = (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean) => void;

/** Calls `onInterrupt` for one interrupt after the other. A call that fails goes to `onError` and does not stop the others. */
export function createTeller(
  store: Store,
  onInterrupt: NonNullable<HostOptions['onInterrupt']>,
  onError: (error: unknown, where: object) => void,
): TellOfQuestions {
  const tell = async (key: ThreadKey, isMeant: (record: InterruptRecord) => boolean): Promise<void> => {
    for (const record of await openQuestions(operatorAccess(store, key))) {
      if (!isMeant(record)) continue;
      try {
        await onInterrupt(record, key);
      } catch (error) {
        onError(error, { thread: key.thread, interruptId: record.interrupt.id });
      }
    }
  };
  return (key, isMeant) =>
    void tell(key, isMeant).catch((error: unknown) => onError(error, { thread: key.thread }));
}
