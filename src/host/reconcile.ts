import { defined, HoldpointError, TOO_LATE, unref, within } from '../core/index.ts';
import type { InterruptRecord, Principal, ThreadKey, ThreadRecord } from '../ledger/index.ts';
import { dropInterrupts, operatorAccess, readThread, threadName } from '../ledger/index.ts';
import type { Interrupt } from '../protocol/index.ts';
import type { HostAgent, Reconciled } from '../runs/index.ts';
import { readForeignTurn } from '../runs/index.ts';
import type { Row, Store } from '../store/index.ts';
import type { AgentDirectory } from './agent-directory.ts';

export interface RoundOptions extends AskLimits {
  readonly store: Store;
  /** Milliseconds between two checks of an interrupt, if its agent sets no interval. */
  readonly recheckMs: number;
  /** Continues a thread. */
  readonly goOn: (key: ThreadKey) => Promise<void>;
  readonly onDropped: (count: number) => void;
  readonly onError: (error: unknown, where: { readonly thread: string }) => void;
}

/** Checks the waiting threads of one agent, a page at a time. */
export type AgentRound = (agent: HostAgent) => Promise<void>;

/** An open batch of interrupts. */
interface OpenBatch {
  readonly key: ThreadKey;
  readonly id: string;
  readonly interruptIds: readonly string[];
  /** The key of the batch in the memory of the round. */
  readonly name: string;
}

/** Threads that one round reads. */
const PAGE = 100;

/** Threads for which one round asks the agent. */
const MOST_ASKED = 10;

/**
 * Keeps the time of the next check in memory only: a process that has just started checks every interrupt that is
 * older than the interval.
 */
export function createAgentRound(options: RoundOptions): AgentRound {
  const { store, recheckMs, signal, onError } = options;
  let dueAt = new Map<string, number>();
  let seen = new Map<string, number>();
  let cursor: string | undefined;

  const paceOf = (agent: HostAgent, records: readonly InterruptRecord[]): number => {
    const said = records.map(({ interrupt }) => agent.recheckMs?.(interrupt) ?? recheckMs);
    const least = Math.min(...said);
    return Number.isFinite(least) && least > 0 ? least : recheckMs;
  };

  const ask = async (agent: HostAgent, batch: OpenBatch, records: readonly InterruptRecord[]) => {
    const { key } = batch;
    const interrupts = records.map(({ interrupt }) => interrupt);
    const thread = await readThread(operatorAccess(store, key));
    const { names, inDoubt } = readForeignTurn(thread?.turn);
    // A person is asked about answers in doubt, not the agent.
    if (inDoubt !== undefined) return;
    const taken = await takenInterrupts(
      { agent, key, interrupts, names, principal: thread?.principal },
      options,
    );
    if (taken.size === 0) return;
    const dropped = await dropInterrupts(operatorAccess(store, key), {
      batch: batch.id,
      interruptIds: [...taken],
      by: agent.id,
      reason: 'The agent no longer waits for an answer.',
    });
    if (dropped !== 'unchanged') options.onDropped(taken.size);
    if (dropped === 'ready') await options.goOn(key);
  };

  return async (agent) => {
    const now = await store.now();
    const { rows, next } = await store.list({
      table: 'threads',
      status: ['waiting'],
      agent: agent.id,
      limit: PAGE,
      ...defined({ cursor }),
    });
    const batches = rows.flatMap(openBatch);
    const records = await recordsOf(
      store,
      batches.filter(({ name }) => (dueAt.get(name) ?? now) <= now),
    );
    const due: (readonly [OpenBatch, readonly InterruptRecord[], number])[] = [];
    for (const batch of batches) {
      const { name } = batch;
      const known = dueAt.get(name);
      const asked = records.get(name) ?? [];
      if (known === undefined && asked.length === 0) continue;
      const at = known ?? Math.min(...asked.map(({ raisedAt }) => raisedAt)) + paceOf(agent, asked);
      seen.set(name, at);
      if (asked.length > 0 && at <= now) due.push([batch, asked, at]);
    }
    // The longest overdue come first, so that each is checked in turn.
    const chosen = due.toSorted(([, , one], [, , other]) => one - other).slice(0, MOST_ASKED);
    await Promise.all(
      chosen.map(async ([batch, asked]) => {
        seen.set(batch.name, now + paceOf(agent, asked));
        try {
          await ask(agent, batch, asked);
        } catch (error) {
          if (!signal.aborted) onError(error, { thread: batch.key.thread });
        }
      }),
    );
    for (const [name, at] of seen) dueAt.set(name, at);
    cursor = next;
    if (next !== undefined) return;
    // After a full round, batches that were not seen are no longer open.
    dueAt = seen;
    seen = new Map();
  };
}

/** The batch that a thread waits for. */
function openBatch({ key, doc }: Row): OpenBatch[] {
  // Written by the ledger.
  const { batch } = doc as unknown as ThreadRecord;
  if (batch === undefined) return [];
  const name = `${threadName(key)} ${batch.id}`;
  return [{ key: { scope: key.scope, thread: key.thread }, name, ...batch }];
}

/** The interrupts of batches, by batch; none for a batch that has changed since. */
async function recordsOf(
  store: Store,
  batches: readonly OpenBatch[],
): Promise<ReadonlyMap<string, readonly InterruptRecord[]>> {
  const keys = batches.flatMap(({ key, interruptIds }) => interruptIds.map((id) => ({ ...key, id })));
  const rows = keys.length === 0 ? [] : await store.get('interrupts', keys);
  const found = new Map<string, readonly InterruptRecord[]>();
  let at = 0;
  for (const { name, interruptIds } of batches) {
    const own = rows.slice(at, at + interruptIds.length);
    at += interruptIds.length;
    const records = own.flatMap((row) => (row === undefined ? [] : [row.doc as unknown as InterruptRecord]));
    if (records.length === interruptIds.length) found.set(name, records);
  }
  return found;
}

export interface AskedOf {
  readonly agent: HostAgent;
  readonly key: ThreadKey;
  /** The interrupts of the open batch. */
  readonly interrupts: readonly Interrupt[];
  /** Our id of an interrupt → the agent's id, if they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** The principal of the thread. */
  readonly principal?: Principal | undefined;
}

export interface AskLimits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * The ids of interrupts that the agent no longer waits for. Throws if the agent fails or times out for one of them,
 * or if the signal aborts; then nothing changes.
 */
export async function takenInterrupts(asked: AskedOf, limits: AskLimits): Promise<ReadonlySet<string>> {
  const { agent, key, interrupts, names, principal } = asked;
  const taken = new Set<string>();
  const ask = async (ids: readonly Interrupt[]) => {
    const told = await Promise.all(
      ids.map(async (interrupt): Promise<readonly [string, Reconciled]> => {
        const { id } = interrupt;
        const state = await agent.reconcile?.({ ...interrupt, id: names[id] ?? id }, key, { principal });
        return [id, state ?? 'unknown'];
      }),
    );
    for (const [id, state] of told) if (state === 'taken') taken.add(id);
  };
  const askAll = async () => {
    await ask(interrupts);
    const others = interrupts.filter(({ id }) => !taken.has(id));
    // The agent may have gone on between two of its replies: ask for the first ones again.
    if (taken.size > 0 && others.length > 0) await ask(others);
  };
  // Does not wait for an agent that hangs.
  if ((await within(askAll(), limits.limitMs, limits.signal)) !== TOO_LATE) return taken;
  const sentence = `The agent ${agent.id} did not say in ${limits.limitMs} ms whether it still waits.`;
  throw new HoldpointError('TOOL_FAILED', sentence);
}

export interface RecheckOptions extends Omit<RoundOptions, 'signal' | 'limitMs'> {
  readonly agents: AgentDirectory;
  /** Milliseconds between two rounds; 0 for none. */
  readonly everyMs: number;
  /** Milliseconds for an agent to reply. Default 20,000. */
  readonly limitMs?: number;
}

/** Asks agents with their own checkpoint whether they still wait for the open interrupts. */
export interface Recheck {
  /** Makes a round now; resolves when the threads that it found have continued. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

const LIMIT_MS = 20_000;

/**
 * Keeps open interrupts in step with their agents. If an agent went on without an answer from here, because of an
 * answer elsewhere or a timeout, its interrupts are withdrawn and its thread continues. Each agent has its own
 * rounds, so an agent that hangs delays no other. Any number of processes may check; the ledger accepts one of them.
 */
export function startRecheck(options: RecheckOptions): Recheck {
  const { agents, everyMs, recheckMs, onError, limitMs = LIMIT_MS } = options;
  const stop = new AbortController();
  const rounds = new Map<string, AgentRound>();
  const underWay = new Map<string, Promise<void>>();

  const lookAt = (agent: HostAgent): Promise<void> => {
    const { id } = agent;
    const round = rounds.get(id) ?? createAgentRound({ ...options, limitMs, signal: stop.signal });
    rounds.set(id, round);
    const looking =
      underWay.get(id) ??
      round(agent)
        .catch((error: unknown) => onError(error, { thread: '' }))
        .finally(() => underWay.delete(id));
    underWay.set(id, looking);
    return looking;
  };
  const look = async (): Promise<void> => {
    if (stop.signal.aborted || recheckMs <= 0) return;
    const able = agents.list().filter(({ isOurs, reconcile }) => !isOurs && reconcile !== undefined);
    await Promise.all(able.map(lookAt));
  };
  const timer = everyMs <= 0 ? undefined : setInterval(() => void look(), everyMs);
  unref(timer);
  return {
    look,
    async stop() {
      stop.abort();
      clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}
