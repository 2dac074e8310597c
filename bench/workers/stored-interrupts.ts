/** The process of a SQLite database with so many stored interrupts: times claims and first inbox pages. */
import { sqliteStore } from 'holdpoint/store/sqlite';
import type { InterruptRecord } from '../../src/ledger/index.ts';
import { beginRun, listInterrupts } from '../../src/ledger/testing-support/as-operator.ts';
import { endRun } from '../../src/ledger/testing-support/end-run.ts';
import type { Store } from '../../src/store/index.ts';
import { median } from '../harness/results.ts';

const TIMES = 50;
const PAGE = 50;

export async function open({ file, count }: { readonly file: string; readonly count: number }) {
  const store = sqliteStore(file, { synchronous: 'NORMAL' });
  await fill(store, count);
  let threads = 0;
  const time = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return (performance.now() - start) * 1_000;
  };
  return {
    /** The median time of a claim in microseconds. */
    async claim() {
      const times: number[] = [];
      for (let turn = 0; turn < TIMES; turn += 1) {
        threads += 1;
        const thread = `new-${threads}`;
        await raise(store, thread);
        times.push(await time(() => claim(store, thread)));
      }
      return median(times);
    },
    /** The median time of a full first page in microseconds. */
    async page() {
      const times: number[] = [];
      for (let turn = 0; turn < TIMES; turn += 1) {
        times.push(
          await time(async () => {
            const page = await listInterrupts(store, { scope: 's', status: ['pending'], limit: PAGE });
            if (page.interrupts.length < PAGE) throw new Error('The page is not full.');
          }),
        );
      }
      return median(times);
    },
    close: () => store.close(),
  };
}

/** Stored interrupts: most are resolved; a full page and one in a hundred are open. */
async function fill(store: Store, count: number): Promise<void> {
  const PIECE = 2000;
  for (let done = 0; done < count; done += PIECE) {
    const puts = Array.from({ length: Math.min(PIECE, count - done) }, (_, n) => {
      const number = done + n;
      const isOpen = number < PAGE || number % 100 === 0;
      const state = isOpen ? ('pending' as const) : ('resolved' as const);
      const record: InterruptRecord = {
        interrupt: { id: `q${number}`, reason: 'tool_call', message: 'May this go ahead?' },
        state,
        batch: `b${number}`,
        agent: 'a',
        runId: `r${number}`,
        askedBy: 'ana',
        raisedAt: number,
        onExpire: 'keep',
      };
      return {
        table: 'interrupts' as const,
        key: { scope: 's', thread: `old-${number}`, id: `q${number}` },
        doc: JSON.parse(JSON.stringify(record)),
        index: { status: state, agent: 'a', reason: 'tool_call' },
      };
    });
    await store.commit({ puts });
  }
}

async function raise(store: Store, thread: string): Promise<void> {
  const base = { agent: 'a', principal: { id: 'ana', scope: 's' }, via: 'ag-ui' as const, leaseMs: 60_000 };
  const key = { scope: 's', thread };
  const begun = await beginRun(store, {
    ...base,
    key,
    runId: `${thread}-1`,
    entries: [],
    newMessages: ['hello'],
  });
  if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
  const raised = [{ interrupt: { id: `${thread}-q`, reason: 'tool_call' } }];
  await endRun(store, begun.lease, { outcome: 'interrupt', batch: `${thread}-b`, raised });
}

async function claim(store: Store, thread: string): Promise<void> {
  const begun = await beginRun(store, {
    agent: 'a',
    principal: { id: 'bob', scope: 's' },
    via: 'ag-ui',
    leaseMs: 60_000,
    key: { scope: 's', thread },
    runId: `${thread}-2`,
    entries: [{ interruptId: `${thread}-q`, status: 'resolved', payload: { approved: true } }],
    newMessages: [],
  });
  if (begun.type !== 'started') throw new Error(`expected a claim, found ${begun.type}`);
}
