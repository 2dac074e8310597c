import type { InterruptRecord, ThreadKey, ThreadRecord } from '../../ledger/index.ts';
import { dropQuestions, operatorAccess, readThread } from '../../ledger/index.ts';
import type { Row, Store } from '../../store/index.ts';
import type { HostAgent } from '../agents/host-agent.ts';
import { readForeignTurn } from '../runs/foreign-turn.ts';
import type { AskLimits } from './questions-taken.ts';
import { questionsTaken } from './questions-taken.ts';

export interface RoundOptions extends AskLimits {
  readonly store: Store;
  /** Milliseconds between two looks at a question, where its agent does not say how often. */
  readonly recheckMs: number;
  /** A thread can go on. */
  readonly goOn: (key: ThreadKey) => Promise<void>;
  readonly onDropped: (count: number) => void;
  readonly onError: (error: unknown, where: { readonly thread: string }) => void;
}

/** Goes through the threads that wait for one agent, a page at a time. */
export type AgentRound = (agent: HostAgent) => Promise<void>;

/** A batch of questions that is open. */
interface OpenBatch {
  readonly key: ThreadKey;
  readonly id: string;
  readonly interruptIds: readonly string[];
  /** Of this batch, for what is remembered of it. */
  readonly name: string;
}

/** Threads that one round looks through. */
const PAGE = 100;

/** Threads that one round asks their agent about. */
const MOST_ASKED = 10;

/**
 * What an agent is asked, and when next, is remembered here and nowhere else: a process that has just started asks about every
 * question that is older than the time between two looks.
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
    const taken = await questionsTaken({ agent, key, interrupts, names }, options);
    if (taken.size === 0) return;
    const dropped = await dropQuestions(operatorAccess(store, key), {
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
      ...(cursor === undefined ? {} : { cursor }),
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
    // The longest overdue come first, so that each has its turn.
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
    // Once around: what was not seen does not wait any more.
    dueAt = seen;
    seen = new Map();
  };
}

/** The batch that a thread waits for. */
function openBatch({ key, doc }: Row): OpenBatch[] {
  // Written by the ledger.
  const { batch } = doc as unknown as ThreadRecord;
  if (batch === undefined) return [];
  const name = JSON.stringify([key.scope, key.thread, batch.id]);
  return [{ key: { scope: key.scope, thread: key.thread }, name, ...batch }];
}

/** The questions of batches, by batch; nothing for one that has changed since it was listed. */
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
