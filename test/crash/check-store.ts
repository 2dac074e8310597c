import { rmSync } from 'node:fs';
import { readThread, verifyHistory } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { loadLibsql } from '../../src/store/sqlite/driver.ts';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { KEPT } from '../processes/maintenance.ts';
import type { Report, ReportLine } from './read-report.ts';
import { CALL_OF, ONCE } from './scenario.ts';

const keyOf = (thread: string) => ({ scope: 'default', thread });

/** Which part of a report a store must have. */
export interface Expected {
  readonly report: Report;
  /** Threads that nothing has pruned. */
  readonly threads: ReadonlySet<string>;
  /** Lines before this place; default: all. */
  readonly through?: number;
  /** Acknowledged rows from this place on; default: all. */
  readonly keptFrom?: number;
}

/** What a store lost of what was acknowledged, and the threads whose history chain is broken. */
export async function findLosses(store: Store, expected: Expected): Promise<string[]> {
  const { report, threads, through = Infinity, keptFrom = 0 } = expected;
  const problems: string[] = [];
  const isExpected = ({ at }: ReportLine) => at < through;
  const shown = report.linesOf('shown').filter(isExpected);
  const answered = new Set(report.linesOf('answered').map(({ rest }) => rest));
  const checked = new Set<string>();
  for (const { rest } of shown) {
    const [thread = '', id = ''] = rest.split(' ');
    if (!threads.has(thread)) continue;
    checked.add(thread);
    const [row] = await store.get('interrupts', [{ ...keyOf(thread), id }]);
    const state = String(row?.doc['state'] ?? 'lost');
    if (row === undefined) problems.push(`${rest}: the interrupt is lost`);
    else if (through === Infinity && answered.has(rest) && ['pending', 'answered'].includes(state))
      problems.push(`${rest}: the answer is lost, the interrupt is ${state}`);
  }
  for (const thread of through === Infinity ? threads : checked) {
    if ((await verifyHistory(store, keyOf(thread))) !== undefined)
      problems.push(`${thread}: the history chain is broken`);
  }
  const kept = report.linesOf('kept').filter((line) => isExpected(line) && line.at >= keptFrom);
  const rows = await store.get(
    'runs',
    kept.map(({ rest }) => ({ ...KEPT, id: rest })),
  );
  kept.forEach(({ rest }, index) => {
    if (rows[index] === undefined) problems.push(`${rest}: a row is lost whose commit was acknowledged`);
  });
  return problems;
}

/** What is wrong with a backup: it is whole and has all that was acknowledged before it was begun. Removes the backup. */
export async function checkBackup(path: string, expected: Expected): Promise<string[]> {
  const libsql = loadLibsql();
  const database = new libsql(path);
  const integrity = database.prepare('PRAGMA integrity_check').raw().all([]);
  database.close();
  const problems = JSON.stringify(integrity) === '[["ok"]]' ? [] : [JSON.stringify(integrity)];
  const copy = sqliteStore(path);
  problems.push(...(await findLosses(copy, expected)));
  await copy.close();
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  return problems.map((problem) => `the backup ${path}: ${problem}`);
}

/** The calls of a thread that a store knows: those of its open turn and of its messages. */
export async function knownCalls(store: Store, thread: string): Promise<ReadonlySet<string>> {
  const record = await readThread(store, keyOf(thread));
  const messages = await store.read({ log: 'messages', ...keyOf(thread), limit: 1000 });
  const text = JSON.stringify([record?.turn ?? null, messages.map(({ item }) => item)]);
  return new Set(Object.values(CALL_OF).filter((call) => text.includes(`"${call}"`)));
}

/** What is open on a thread that has come to its end. */
export async function findOpenWork(store: Store, thread: string): Promise<string[]> {
  const problems: string[] = [];
  const record = await readThread(store, keyOf(thread));
  if (record?.turn !== undefined || record?.batch !== undefined || record?.claimed !== undefined)
    problems.push(`${thread} is not at rest`);
  const { rows } = await store.list({ table: 'executions', ...keyOf(thread) });
  if (rows.length > 0) problems.push(`${thread} left executions behind`);
  const status = ['pending', 'answered', 'claimed'] as const;
  const open = await store.list({ table: 'interrupts', ...keyOf(thread), status: [...status] });
  if (open.rows.length > 0) problems.push(`${thread} has open interrupts`);
  return problems;
}

/** How often each effect happened, by the lines of the file of effects. */
export function countEffects(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** The effects of one thread that happened too often, or not at all although it has ended. */
export function findWrongCounts(
  counts: ReadonlyMap<string, number>,
  thread: string,
  allowed: {
    readonly most: (what: keyof typeof CALL_OF) => number;
    readonly least: (what: string) => number;
  },
): string[] {
  return ONCE.flatMap((what) => {
    const times = counts.get(`${what} ${thread}`) ?? 0;
    if (times <= allowed.most(what) && times >= allowed.least(what)) return [];
    return [`${what} ${thread}: happened ${times} times`];
  });
}
