import { join } from 'node:path';
import type { Bench, Case } from '../harness/case.ts';
import type { Open } from '../harness/measure-line.ts';
import { reasonOf } from '../harness/measure-line.ts';
import { ratio } from '../harness/results.ts';
import type { Worker } from '../harness/start-worker.ts';
import { startWorker } from '../harness/start-worker.ts';

/** The contenders of each class: their commits are equally safe. Mastra always sets NORMAL. */
const CLASSES = {
  'SQLite NORMAL': ['holdpoint', 'ai-sdk', 'genkit', 'langgraph', 'mastra', 'bare'],
  'SQLite FULL': ['holdpoint', 'ai-sdk', 'langgraph', 'bare'],
  PostgreSQL: ['holdpoint', 'langgraph', 'bare', 'pgbench'],
};
type ClassName = keyof typeof CLASSES;

/** What one cycle writes. */
export interface Footprint {
  readonly commits: number;
  readonly rows: number;
  readonly bytes: number;
  readonly walBytes: number;
}

/** The writes of the bare driver if ours was not counted. */
const ASSUMED: Footprint = { commits: 4, rows: 12, bytes: 6_000, walBytes: 0 };
const ONE_BY_ONE = 'holdpoint, one by one';
const LONG = 500;

export const durable: Case = {
  name: 'durable',
  title: 'one interrupt → answer cycle that is kept in a store, in process',
  async run(bench) {
    const facts: Record<string, string[]> = {};
    // Filled below, also when a class fails.
    bench.facts({ columns: ['commits', 'rows', 'bytes', 'WAL bytes'], rows: facts });
    for (const [store, names] of Object.entries(CLASSES) as [ClassName, string[]][]) {
      if (bench.wants(store)) await measureClass(bench, { store, names: withBefore(names), facts });
    }
  },
};

/** With `HOLDPOINT_BEFORE`, the folder of another checkout that is built, its code runs beside ours as `before`. */
export function withBefore(names: readonly string[]): string[] {
  return process.env['HOLDPOINT_BEFORE'] === undefined
    ? [...names]
    : names.flatMap((name) => (name === 'holdpoint' ? [name, 'before'] : [name]));
}

interface Class {
  readonly store: ClassName;
  readonly names: readonly string[];
  readonly facts: Record<string, string[]>;
}

async function measureClass(bench: Bench, { store, names, facts }: Class): Promise<void> {
  const postgres = store === 'PostgreSQL' ? await startPostgres() : undefined;
  const folder = await bench.folder();
  const place = createPlaces(postgres, folder, store === 'SQLite FULL' ? 'FULL' : 'NORMAL');
  try {
    const ours = await countFootprints(bench, { store, names, facts, place });
    const open = (name: string, situation: object): Open =>
      openContender(name, { place, situation, written: perCommit(ours ?? ASSUMED) });
    const openAll = (situation: object, given: readonly string[] = names) =>
      Object.fromEntries(given.map((name) => [name, open(name, situation)]));

    const fresh = await bench.measure({
      name: `${store}, fresh thread`,
      unit: 'cycles/s',
      better: 'more',
      durability: durabilityOf(store),
      contenders: openAll({ warmUp: 1_500 }),
      rounds: 7,
    });
    const many = { inFlight: 64, warmUp: 1_000 };
    const inFlight = await bench.measure({
      name: `${store}, 64 in flight`,
      unit: 'cycles/s',
      better: 'more',
      durability: durabilityOf(store),
      contenders: {
        ...openAll(many),
        ...(store === 'SQLite FULL' ? { [ONE_BY_ONE]: open('holdpoint', { warmUp: 1_000 }) } : {}),
      },
    });
    const wants = (peer: string, atLeast: number, line = fresh) =>
      bench.budget({
        text: `${line.name}: holdpoint to ${peer}`,
        value: ratio(line, 'holdpoint', peer),
        atLeast,
        unit: '×',
      });
    if (store === 'SQLite NORMAL') {
      wants('ai-sdk', 0.6);
      wants('langgraph', 6);
      wants('mastra', 20);
    }
    if (store === 'SQLite FULL') {
      wants('bare', 0.5);
      wants(ONE_BY_ONE, 3, inFlight);
    }
    if (store === 'PostgreSQL') {
      wants('bare', 0.5);
      wants('pgbench', 0.5, inFlight);
    }
  } finally {
    await postgres?.stop();
  }
}

function durabilityOf(store: ClassName): string {
  if (store === 'PostgreSQL') return 'synchronous_commit on';
  return store === 'SQLite FULL' ? 'each commit is on the disk' : 'a power cut may lose the last commits';
}

/** A killed process would leave its PostgreSQL behind. */
export function startPostgres(): Promise<Worker> {
  return startWorker('peers/postgres.mjs', {}, { closeMs: 60_000 });
}

type Place = { readonly place: object; remove(): Promise<unknown> };
type MakePlace = () => Promise<Place>;

/** A SQLite file or a PostgreSQL database of its own for each contender. */
export function createPlaces(
  postgres: Worker | undefined,
  folder: string,
  synchronous: 'FULL' | 'NORMAL',
): MakePlace {
  let made = 0;
  return async () => {
    made += 1;
    if (postgres === undefined) {
      return { place: { file: join(folder, `${made}.db`), synchronous }, remove: async () => undefined };
    }
    const url = await postgres.call<string>('create');
    return { place: { url, folder }, remove: () => postgres.call('drop', url) };
  };
}

interface Opening {
  readonly place: MakePlace;
  readonly situation: object;
  readonly written?: object;
}

/** A contender that needs no server: one process does the work and is its own load. */
export function openContender(name: string, { place, situation, written }: Opening): Open {
  return async () => {
    const { place: given, remove } = await place();
    const worker = await startWorker('peers/contender.mjs', { name, place: given, situation, written });
    return {
      warmUp: () => worker.call('warmUp'),
      slice: () => worker.call<number>('slice'),
      async stop() {
        await worker.stop();
        await remove();
      },
    };
  };
}

/** Counts what each contender writes in a cycle, on a fresh thread and on a long one; returns ours on a fresh thread. */
async function countFootprints(
  bench: Bench,
  { store, names, facts, place }: Class & { readonly place: MakePlace },
): Promise<Footprint | undefined> {
  let ours: Footprint | undefined;
  const counted = names.filter((name) => !['bare', 'pgbench'].includes(name) && bench.wantsContender(name));
  for (const name of counted) {
    bench.progress(`${store}: counts what ${name} writes`);
    const { place: given, remove } = await place();
    try {
      const worker = await startWorker('peers/contender.mjs', { name, place: given });
      try {
        const fresh = await worker.call<Footprint>('footprint', 0);
        facts[`${store}, ${name}`] = cells(fresh);
        if (name !== 'holdpoint') continue;
        ours = fresh;
        if (bench.trial) continue;
        addBudgets(bench, store, fresh);
      } finally {
        await worker.stop();
      }
    } catch (error) {
      facts[`${store}, ${name}`] = [reasonOf(error)];
    } finally {
      await remove();
    }
  }
  if (ours !== undefined && !bench.trial) await judgeGrowth(bench, { store, ours, place, facts });
  return ours;
}

function addBudgets(bench: Bench, store: ClassName, { commits, bytes }: Footprint): void {
  const text = `${store}: commits of a cycle, the message's own included`;
  bench.budget({ text, value: commits, atMost: 4, unit: 'commits' });
  bench.budget({ text: `${store}: written by a cycle`, value: bytes, atMost: 6_000, unit: 'bytes' });
}

/** The counting triggers stay in a database, so the long thread gets one of its own. */
async function judgeGrowth(
  bench: Bench,
  {
    store,
    ours,
    place,
    facts,
  }: { store: ClassName; ours: Footprint; place: MakePlace; facts: Record<string, string[]> },
): Promise<void> {
  const { place: given, remove } = await place();
  const worker = await startWorker('peers/contender.mjs', { name: 'holdpoint', place: given });
  try {
    bench.progress(`${store}: counts what holdpoint writes after ${LONG} turns`);
    const long = await worker.call<Footprint>('footprint', LONG);
    facts[`${store}, holdpoint after ${LONG} turns`] = cells(long);
    const grown = (what: 'rows' | 'bytes') =>
      bench.budget({
        text: `${store}: ${what} of a cycle after ${LONG} turns, to none`,
        value: long[what] / ours[what],
        atMost: 1.1,
        unit: '×',
      });
    grown('rows');
    grown('bytes');
  } finally {
    await worker.stop();
    await remove();
  }
}

function cells({ commits, rows, bytes, walBytes }: Footprint): string[] {
  return [commits.toFixed(1), rows.toFixed(1), Math.round(bytes).toString(), Math.round(walBytes).toString()];
}

/** The writes of the bare driver and of `pgbench`: as many commits, rather a row less than ours, as many bytes. */
export function perCommit({ commits, rows, bytes }: Footprint): object {
  const whole = Math.max(1, Math.round(commits));
  return {
    commits: whole,
    rowsPerCommit: Math.max(1, Math.floor(rows / whole)),
    bytesPerCommit: Math.round(bytes / whole),
  };
}
