/** One of several processes that answer the same questions at the same moment; told what to do by its parent. */
import { HoldpointError } from '../../core/index.ts';
import { postgresStore } from '../../store/postgres/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import type { Store } from '../../store/index.ts';
import { beginRun, endRun } from '../index.ts';

/** Where the questions are. */
export interface RaceSetting {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema?: string;
}

/** One question, and what this process says to it. */
export interface RaceRound {
  readonly thread: string;
  readonly interruptId: string;
  readonly approved: boolean;
}

/** What came of it. */
export interface RaceResult {
  readonly type: string;
  readonly by?: unknown;
}

function openStore({ kind, place, schema }: RaceSetting): Store {
  if (kind === 'sqlite') return sqliteStore(place);
  return postgresStore(place, schema === undefined ? {} : { schema });
}

async function answer(store: Store, round: RaceRound): Promise<RaceResult> {
  const key = { scope: 's', thread: round.thread };
  const runId = `run-${process.pid}`;
  try {
    const begun = await beginRun(store, {
      key,
      runId,
      agent: 'a',
      principal: { id: String(process.pid), scope: 's' },
      entries: [
        { interruptId: round.interruptId, status: 'resolved', payload: { approved: round.approved } },
      ],
      newMessages: [],
      via: 'ag-ui',
      leaseMs: 60_000,
    });
    if (begun.type !== 'started') return { type: begun.type };
    // The tool: what it did can be counted.
    await store.commit({ appends: [{ log: 'events', ...key, items: [{ ran: round.approved }] }] });
    await endRun(store, begun.lease, { outcome: 'success' });
    return { type: 'started' };
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
    return { type: error.code, by: error.details?.['by'] };
  }
}

const store = openStore(JSON.parse(process.argv[2] ?? '{}') as RaceSetting);
await store.now();
process.on('message', (round: RaceRound | 'end') => {
  if (round === 'end') {
    void store.close().then(() => process.disconnect());
    return;
  }
  void answer(store, round).then((result) => process.send?.(result));
});
process.send?.({ type: 'ready' });
