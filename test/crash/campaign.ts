import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readThread, verifyHistory } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { KEPT } from '../processes/maintenance.ts';
import { createNodeBackup } from '../node-24/node-backup.ts';
import { bundleProgram, until } from '../processes/processes.ts';
import { createRandom, IS_DEEP } from '../size.ts';
import type { FaultPoint } from '../../src/core/index.ts';
import { FAULT_POINTS } from '../../src/core/index.ts';
import type { CrashPlan } from './child.ts';
import { needlessDoubt, ONCE, openWorld } from './scenario.ts';

export interface CampaignPlace {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema: string;
  readonly store: Store;
}

export interface Campaign {
  /**
   * Starts a process that is killed at a named place, or after some milliseconds; says whether it was. Every other time
   * another process works beside it, with a clock of its own, and is frozen for as long as the first one lives.
   */
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
  /** How many processes worked beside one that was killed, and how many of them were frozen. */
  readonly companions: number;
  readonly frozen: number;
  /** How many commits were acknowledged that shared their moment with a trim. */
  readonly kept: number;
  /** How many copies of the file were made meanwhile; each held all that was acknowledged before it was begun. */
  readonly backups: number;
}

const HOUR = 3_600_000;

/** A named place, drawn. */
export function anyPoint(random: () => number): FaultPoint {
  return FAULT_POINTS[Math.floor(random() * FAULT_POINTS.length)] ?? 'tool:after';
}

/** A series of processes that are killed one after the other over the same store. */
export async function startCampaign({ kind, place, schema, store }: CampaignPlace): Promise<Campaign> {
  const program = await bundleProgram(join(import.meta.dirname, 'child.ts'));
  const nodeBackup = IS_DEEP && kind === 'sqlite' ? await createNodeBackup() : undefined;
  const world = join(program.folder, 'world');
  const report = join(program.folder, 'report');
  const random = createRandom(`campaign over ${kind}`);
  const began: string[] = [];
  /** When each process was started. */
  const starts: number[] = [];
  let generation = 0;
  let kills = 0;
  let companions = 0;
  let frozen = 0;
  let backups = 0;

  const finished = new Set<string>();
  const shown = new Set<string>();
  const answered = new Set<string>();
  const doubted = new Set<string>();
  /** Rows whose commit was acknowledged. */
  const kept = new Set<string>();
  /** What had been shown and kept when a copy of the file was begun, and the copies that were finished. */
  const saving = new Map<string, { readonly shown: readonly string[]; readonly kept: readonly string[] }>();
  const saved: string[] = [];
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
      if (what === 'kept') kept.add(rest.join(' '));
      if (what === 'saving') saving.set(rest.join(' '), { shown: [...shown], kept: [...kept] });
      if (what === 'saved') saved.push(rest.join(' '));
      if (what === 'frozen') frozen += 1;
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
    starts.push(Date.now());
    const shared = { kind, place, schema, world, report, leaseMs: kind === 'sqlite' ? 5000 : 300 };
    const ahead = generation * HOUR;
    const left = unfinished();
    const pruneAfterMs = pruneAfter(left);
    const plan: CrashPlan = {
      ...shared,
      name: `g${generation}`,
      left,
      fresh,
      ahead,
      ...(pruneAfterMs === undefined ? {} : { pruneAfterMs }),
      ...(how.at === undefined ? {} : { killAt: how.at }),
    };
    began.push(...fresh);
    const victim = start(plan);
    const companion = fresh.length > 0 && generation % 2 === 0 ? startCompanion(shared, ahead) : undefined;
    const timer =
      how.afterMs === undefined ? undefined : setTimeout(() => victim.child.kill('SIGKILL'), how.afterMs);
    if (generation % 5 === 0) await backUpWithNode();
    const wasKilled = await victim.ended;
    clearTimeout(timer);
    if (companion !== undefined) {
      // It may stop itself at any moment from now on.
      let isOver = false;
      const over = companion.ended.finally(() => (isOver = true));
      await Promise.all([over, until(() => (companion.child.kill('SIGCONT'), isOver))]);
    }
    return wasKilled;
  };

  /** Makes a copy by other means than the processes have, while they are at work. */
  const backUpWithNode = async () => {
    if (nodeBackup === undefined) return;
    listen();
    const path = join(program.folder, `node-${generation}.db`);
    saving.set(path, { shown: [...shown], kept: [...kept] });
    await nodeBackup(place, path);
    saved.push(path);
  };

  /** Starts a process; `ended` says whether it was killed, and throws when it failed. */
  const start = (plan: CrashPlan) => {
    const child = program.start(plan, 'errors');
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'exit').then(([code, signal]) => {
      if (signal === 'SIGKILL') return true;
      if (code === 0) return false;
      throw new Error(`The process ${plan.name} ended with ${String(code ?? signal)}:\n${errors}`);
    });
    // Whoever waits for it may come later.
    ended.catch(() => undefined);
    return { child, ended };
  };

  /** A process with a thread of its own, whose clock may be wrong by an hour, and which stops itself somewhere. */
  const startCompanion = (
    shared: Pick<CrashPlan, 'kind' | 'place' | 'schema' | 'world' | 'report' | 'leaseMs'>,
    ahead: number,
  ) => {
    const thread = `t${generation}-beside`;
    began.push(thread);
    companions += 1;
    const off = [0, HOUR, -HOUR][Math.floor(random() * 3)] ?? 0;
    return start({
      ...shared,
      name: `g${generation}-beside`,
      left: [],
      fresh: [thread],
      ahead: ahead + off,
      freezeAt: { point: anyPoint(random), hit: 1 + Math.floor(random() * 2) },
    });
  };

  /**
   * The age at which a thread may be pruned: only threads go that were finished, and looked at, several processes ago. None
   * where a thread that old is still at work: its last process may have died right before it said that it had finished.
   */
  const pruneAfter = (left: readonly string[]): number | undefined => {
    const oldest = generation - 4;
    if (oldest < 1 || left.some((thread) => Number(/^t(\d+)-/.exec(thread)?.[1]) < oldest)) return undefined;
    return kind === 'sqlite' ? 7 * HOUR : Date.now() - (starts[oldest - 1] ?? 0);
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
    const rows = await store.get(
      'runs',
      [...kept].map((id) => ({ ...KEPT, id })),
    );
    [...kept].forEach((id, index) => {
      if (rows[index] === undefined) problems.push(`${id}: a row is lost whose commit was acknowledged`);
    });
    problems.push(...(await checkBackups(mine)));
    for (const [deed, times] of count(openWorld(world).deeds)) {
      if (times > 1 && !deed.startsWith('note ')) problems.push(`${deed}: done ${times} times`);
    }
    for (const thread of threads) if (finished.has(thread)) problems.push(...(await atRest(thread)));
    if (problems.length > 0) throw new Error(problems.join('\n'));
    for (const thread of threads) if (finished.has(thread)) settled.add(thread);
  };

  /** What is missing in the copies of the file that were made since the last time. PostgreSQL makes none. */
  const checkBackups = async (threads: ReadonlySet<string>): Promise<string[]> => {
    const problems: string[] = [];
    for (const path of saved.splice(0)) {
      if (kind !== 'sqlite') continue;
      backups += 1;
      const copy = sqliteStore(path);
      const before = saving.get(path);
      for (const line of before?.shown ?? []) {
        const [thread = '', id = ''] = line.split(' ');
        if (!threads.has(thread)) continue;
        const [row] = await copy.get('interrupts', [{ scope: 'default', thread, id }]);
        if (row === undefined) problems.push(`${line}: the question is not in the copy ${path}`);
        if ((await verifyHistory(copy, { scope: 'default', thread })) !== undefined)
          problems.push(`${thread}: the chain is broken in the copy ${path}`);
      }
      for (const id of before?.kept ?? []) {
        const [row] = await copy.get('runs', [{ ...KEPT, id }]);
        if (row === undefined) problems.push(`${id}: the row is not in the copy ${path}`);
      }
      await copy.close();
      rmSync(path);
    }
    return problems;
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
      return {
        threads: began.length,
        kills,
        doubts: doubted.size,
        questions: shown.size,
        companions,
        frozen,
        kept: kept.size,
        backups,
      };
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
