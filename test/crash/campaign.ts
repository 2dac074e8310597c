import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readThread, verifyHistory } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { bundleProgram } from '../processes/processes.ts';
import type { CrashPlan } from './child.ts';
import { needlessDoubt, ONCE, openWorld } from './scenario.ts';

export interface CampaignPlace {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema: string;
  readonly store: Store;
}

export interface Campaign {
  /** Starts a process that is killed at a named place, or after some milliseconds; says whether it was. */
  crash(how: { readonly at: CrashPlan['killAt'] } | { readonly afterMs: number }): Promise<boolean>;
  /** Lets a last process finish everything, checks it all, and says what was seen. */
  conclude(): Promise<Figures>;
  dispose(): void;
}

export interface Figures {
  readonly threads: number;
  readonly kills: number;
  readonly doubts: number;
  readonly questions: number;
}

/** A series of processes that are killed one after the other over the same store. */
export async function startCampaign({ kind, place, schema, store }: CampaignPlace): Promise<Campaign> {
  const program = await bundleProgram(join(import.meta.dirname, 'child.ts'));
  const world = join(program.folder, 'world');
  const report = join(program.folder, 'report');
  const began: string[] = [];
  let generation = 0;
  let kills = 0;

  const finished = new Set<string>();
  const shown = new Set<string>();
  const answered = new Set<string>();
  const doubted = new Set<string>();
  /** What the last process left of each thread, when it left anything. */
  const left = new Map<string, readonly string[]>();
  const needless: string[] = [];
  let readTo = 0;
  /** A doubt is looked at when it is first heard of: later, nothing of what it is about is left. */
  const hearDoubt = (thread: string, [id = '', about = '']: readonly string[]) => {
    if (doubted.has(id)) return;
    doubted.add(id);
    const problem = needlessDoubt(about, left.get(thread) ?? []);
    if (problem !== undefined) needless.push(`${thread}: ${about} was said to be in doubt, and ${problem}`);
  };
  /** Takes in what the processes have said since the last time. */
  const listen = () => {
    const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines.slice(readTo)) {
      const [what = '', ...rest] = line.split(' ');
      if (what === 'finished') finished.add(rest.join(' '));
      if (what === 'shown') shown.add(rest.join(' '));
      if (what === 'answered') answered.add(rest.join(' '));
      const [thread = '', ...facts] = rest;
      if (what === 'left') left.set(thread, facts);
      if (what === 'doubt') hearDoubt(thread, facts);
    }
    readTo = lines.length;
  };
  /** Threads that were finished and looked at once: nothing touches them any more. */
  const settled = new Set<string>();
  const unsettled = () => began.filter((thread) => !settled.has(thread));
  const unfinished = () => unsettled().filter((thread) => !finished.has(thread));

  const run = async (fresh: readonly string[], how: { at?: CrashPlan['killAt']; afterMs?: number }) => {
    generation += 1;
    const plan: CrashPlan = {
      kind,
      place,
      schema,
      world,
      report,
      left: unfinished(),
      fresh,
      ahead: generation * 3_600_000,
      leaseMs: kind === 'sqlite' ? 5000 : 300,
      ...(how.at === undefined ? {} : { killAt: how.at }),
    };
    began.push(...fresh);
    const child = program.start(plan, 'errors');
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const timer =
      how.afterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), how.afterMs);
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    clearTimeout(timer);
    if (signal === 'SIGKILL') return true;
    if (code === 0) return false;
    throw new Error(`A process ended with ${code ?? signal}:\n${errors}`);
  };

  /**
   * What holds at every moment: nothing that was shown is lost, no answer that was taken is, the chains are whole, and nobody
   * was asked about what was not in doubt.
   */
  const check = async () => {
    listen();
    const problems = [...needless];
    const threads = unsettled();
    const mine = new Set(threads);
    for (const thread of threads) {
      const key = { scope: 'default', thread };
      if ((await verifyHistory(store, key)) !== undefined) problems.push(`${thread}: the chain is broken`);
    }
    for (const line of shown) {
      const [thread = '', id = ''] = line.split(' ');
      if (!mine.has(thread)) continue;
      const [row] = await store.get('interrupts', [{ scope: 'default', thread, id }]);
      if (row === undefined) problems.push(`${line}: the question is lost`);
      else if (answered.has(line) && !['resolved', 'cancelled', 'claimed'].includes(String(row.doc['state'])))
        problems.push(`${line}: the answer is lost, the question is ${String(row.doc['state'])}`);
    }
    for (const [deed, times] of count(openWorld(world).deeds)) {
      if (times > 1 && !deed.startsWith('note ')) problems.push(`${deed}: done ${times} times`);
    }
    for (const thread of threads) if (finished.has(thread)) problems.push(...(await atRest(thread)));
    if (problems.length > 0) throw new Error(problems.join('\n'));
    for (const thread of threads) if (finished.has(thread)) settled.add(thread);
  };

  /** What is wrong with a thread that has come to its end. */
  const atRest = async (thread: string): Promise<string[]> => {
    const problems: string[] = [];
    const { deeds } = openWorld(world);
    for (const what of ONCE) {
      const times = deeds.filter((deed) => deed === `${what} ${thread}`).length;
      if (times !== 1) problems.push(`${what} ${thread}: done ${times} times`);
    }
    const record = await readThread(store, { scope: 'default', thread });
    if (record?.turn !== undefined || record?.batch !== undefined || record?.claimed !== undefined)
      problems.push(`${thread} is not at rest`);
    const place = { scope: 'default', thread };
    const { rows } = await store.list({ table: 'executions', ...place });
    if (rows.length > 0) problems.push(`${thread} left executions behind`);
    const open = await store.list({
      table: 'interrupts',
      ...place,
      status: ['pending', 'answered', 'claimed'],
    });
    if (open.rows.length > 0) problems.push(`${thread} has open questions`);
    return problems;
  };

  return {
    async crash(how) {
      const fresh = Array.from({ length: 2 }, (_, n) => `t${generation}-${n}`);
      const killed = await run(fresh, 'at' in how ? { at: how.at } : how);
      if (killed) kills += 1;
      await check();
      return killed;
    },
    async conclude() {
      await run([], {});
      await check();
      const left = unsettled();
      if (left.length > 0) throw new Error(`not finished: ${left.join(', ')}`);
      return { threads: began.length, kills, doubts: doubted.size, questions: shown.size };
    },
    dispose: () => program.dispose(),
  };
}

function count(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** A place for what a campaign keeps, outside the repository. */
export function campaignFolder(): string {
  return mkdtempSync(join(tmpdir(), 'holdpoint-crash-'));
}
