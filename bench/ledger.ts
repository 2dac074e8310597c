/**
 * `npm run bench:ledger`: the time to claim an interrupt and to list the first inbox page, with 1,000 and with 1,000,000 stored
 * interrupts on SQLite. The exit code is 1 if a budget is missed.
 */
import { sqliteStore } from 'holdpoint/store/sqlite';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InterruptRecord } from '../src/ledger/index.ts';
import { beginRun, listInterrupts } from '../src/ledger/testing-support/as-operator.ts';
import { endRun } from '../src/ledger/testing-support/end-run.ts';
import type { Store } from '../src/store/index.ts';

const SMALL = 1000;
const LARGE = Number(process.env['BENCH_INTERRUPTS'] ?? 1_000_000);
const ROUNDS = 200;
const BUDGET = 1.5;
const PAGE = 50;

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
    if (process.stderr.isTTY) process.stderr.write(`\r${done + puts.length} of ${count} interrupts`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
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

interface Figures {
  readonly claim: number;
  readonly page: number;
}

/** The medians of claim and page, in microseconds. */
async function measure(store: Store, prefix: string): Promise<Figures> {
  const claims: number[] = [];
  const pages: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const thread = `${prefix}${round}`;
    await raise(store, thread);
    const before = performance.now();
    await claim(store, thread);
    const between = performance.now();
    const { interrupts } = await listInterrupts(store, { scope: 's', status: ['pending'], limit: PAGE });
    if (interrupts.length < PAGE) throw new Error('the page is not full');
    claims.push(between - before);
    pages.push(performance.now() - between);
  }
  const median = (times: number[]) => (times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0) * 1000;
  return { claim: median(claims), page: median(pages) };
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
try {
  const results: Figures[] = [];
  for (const count of [SMALL, LARGE]) {
    const path = join(folder, `${count}.db`);
    const store = sqliteStore(path, { synchronous: 'NORMAL' });
    await fill(store, count);
    await measure(store, 'warm-');
    const figures = await measure(store, 'measured-');
    results.push(figures);
    const megabytes = Math.round(statSync(path).size / 1e6);
    console.log(
      `${String(count).padStart(9)} stored  claim ${figures.claim.toFixed(0)} µs  first page ${figures.page.toFixed(0)} µs  (${megabytes} MB)`,
    );
    await store.close();
  }
  const [small, large] = results;
  if (small === undefined || large === undefined) throw new Error('nothing was measured');
  const ratios = { claim: large.claim / small.claim, 'first page': large.page / small.page };
  for (const [name, ratio] of Object.entries(ratios)) {
    const ok = ratio <= BUDGET;
    console.log(
      `${name.padEnd(10)} ${ratio.toFixed(2)} × with ${LARGE} as with ${SMALL}  ≤ ${BUDGET} ×  ${ok ? 'ok' : 'MISSED'}`,
    );
    if (!ok) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
