import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../src/store/index.ts';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { backUp } from '../../src/store/sqlite/testing-support/execute.ts';
import { openEffects } from '../processes/effects.ts';
import { createNodeBackup } from '../node-24/node-backup.ts';
import { bundleProgram, until } from '../processes/processes.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';
import { createRandom, IS_DEEP } from '../size.ts';
import type { FaultPoint } from '../../src/core/index.ts';
import { FAULT_POINTS } from '../../src/core/index.ts';
import {
  checkBackup,
  countEffects,
  findLosses,
  findOpenWork,
  findWrongCounts,
  knownCalls,
} from './check-store.ts';
import type { CrashPlan } from './child.ts';
import { openReport } from './read-report.ts';
import type { ReplacementKind } from './replace-file.ts';
import { isAbsentMeanwhile, replaceFile } from './replace-file.ts';
import { CALL_OF, needlessDoubt } from './scenario.ts';

export interface Campaign {
  /**
   * Starts a process that is killed at a named point, or after some milliseconds; gives whether it was killed. Every other time a
   * second process works beside it, with a clock of its own, and is paused for as long as the first one lives. Then checks the store.
   */
  crash(how: { readonly at: CrashPlan['killAt'] } | { readonly afterMs: number }): Promise<boolean>;
  /** Replaces the SQLite file while three processes work on the same threads and one of them is paused. Then checks the store. */
  replace(kind: ReplacementKind): Promise<void>;
  /** Lets a last process finish everything, checks all of it, and gives what happened. */
  conclude(): Promise<Figures>;
  dispose(): Promise<void>;
}

export interface Figures {
  readonly threads: number;
  readonly kills: number;
  /** Interrupts that were shown, and answers that were acknowledged. */
  readonly interrupts: number;
  readonly answers: number;
  /** Interrupts that asked a person what became of a call. */
  readonly doubts: number;
  /** Processes beside one that was killed, and pauses. */
  readonly companions: number;
  readonly pauses: number;
  /** Acknowledged commits that shared their moment with a trim. */
  readonly kept: number;
  /** Backups that were made meanwhile; each had all that was acknowledged before it was begun. */
  readonly backups: number;
  /** Replacements of the file, and calls that ran again after one because the backup did not know them. */
  readonly replacements: number;
  readonly unknownToBackup: number;
}

const HOUR = 3_600_000;
/** After so many processes one finishes what the others left, so that threads can be pruned and the file stays small. */
const SETTLED_EVERY = 10;

/** Draws a named point. */
export function anyPoint(random: () => number): FaultPoint {
  return FAULT_POINTS[Math.floor(random() * FAULT_POINTS.length)] ?? 'tool:after';
}

/** A series of processes that are killed one after the other over the same store. */
export async function startCampaign(place: StorePlace & { readonly schema: string }): Promise<Campaign> {
  const { kind } = place;
  const [program, restorer] = await Promise.all(
    ['child.ts', 'restore-child.ts'].map((file) => bundleProgram(join(import.meta.dirname, file))),
  );
  if (program === undefined || restorer === undefined) throw new Error('There is no program.');
  const nodeBackup = IS_DEEP && kind === 'sqlite' ? await createNodeBackup() : undefined;
  const files = {
    effects: join(program.folder, 'effects'),
    report: join(program.folder, 'report'),
    replacements: join(program.folder, 'replacements'),
  };
  const effects = openEffects(files.effects);
  const report = openReport(files.report);
  const random = createRandom(`campaign over ${kind}`);
  let store: Store = openPlace(place);
  await store.now();

  const began: string[] = [];
  /** When each process was started. */
  const starts: number[] = [];
  let generation = 0;
  let kills = 0;
  let companions = 0;
  let pauses = 0;
  let backups = 0;

  /** Where the report ended when a backup was begun, and the backups that were finished. */
  const saving = new Map<string, number>();
  const saved: string[] = [];
  const doubted = new Set<string>();
  const needless: string[] = [];
  /** The executions that the last process left of each thread. */
  const left = new Map<string, readonly string[]>();
  /** How many more times the calls of a thread whose file was replaced may run: once for each backup that does not know them. */
  const unknownCalls = new Map<string, Map<string, number>>();

  /** A doubt is judged when it is first reported: later, the executions that it is about are gone. */
  const judgeDoubt = (thread: string, [id = '', about = '']: readonly string[]) => {
    if (doubted.has(id)) return;
    doubted.add(id);
    if (unknownCalls.has(thread)) return;
    const problem = needlessDoubt(about, left.get(thread) ?? []);
    if (problem !== undefined)
      needless.push(`${thread}: a person was asked about ${about}, which ${problem}`);
  };
  const listen = () => {
    for (const { at, what, rest } of report.readNew()) {
      const [thread = '', ...facts] = rest.split(' ');
      if (what === 'saving') saving.set(rest, at);
      if (what === 'saved') saved.push(rest);
      if (what === 'paused') pauses += 1;
      if (what === 'left') left.set(thread, facts);
      if (what === 'doubt') judgeDoubt(thread, facts);
    }
  };
  /** Threads that were finished and checked once: nothing touches them any more. */
  const settled = new Set<string>();
  const unsettled = () => began.filter((thread) => !settled.has(thread));
  const finished = () => new Set(report.linesOf('finished').map(({ rest }) => rest));

  /** Starts a process; `ended` gives whether it was killed, and throws when it failed. */
  const start = (plan: CrashPlan) => {
    const child = program.start(plan, 'errors');
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'exit').then(([code, signal]) => {
      if (signal === 'SIGKILL') return true;
      if (code === 0) return false;
      throw new Error(`The process ${plan.name} ended with ${String(code ?? signal)}:\n${errors}`);
    });
    // Its failure is thrown where it is awaited.
    ended.catch(() => undefined);
    return { child, ended };
  };
  type Started = ReturnType<typeof start>;
  const haveEnded = (processes: readonly Started[]) =>
    processes.every(({ child }) => child.exitCode !== null || child.signalCode !== null);

  /** Wakes processes that pause themselves at some moment, until all have ended. */
  const wakeUntilEnded = async (processes: readonly Started[]) => {
    let isOver = false;
    const over = Promise.all(processes.map(({ ended }) => ended)).finally(() => (isOver = true));
    const wake = () => {
      for (const { child } of processes) child.kill('SIGCONT');
      return isOver;
    };
    await Promise.all([over, until(wake)]);
  };
  const planOf = (rest: Pick<CrashPlan, 'name' | 'left' | 'fresh'> & Partial<CrashPlan>): CrashPlan => ({
    ...place,
    ...files,
    ahead: generation * HOUR,
    leaseMs: kind === 'sqlite' ? 5000 : 300,
    ...rest,
  });
  const drawPause = () => ({ point: anyPoint(random), hit: 1 + Math.floor(random() * 2) });

  const run = async (fresh: readonly string[], how: { at?: CrashPlan['killAt']; afterMs?: number }) => {
    generation += 1;
    starts.push(Date.now());
    const isFinished = finished();
    const unfinished = unsettled().filter((thread) => !isFinished.has(thread));
    const pruneAfterMs = pruneAfter(unfinished);
    began.push(...fresh);
    const victim = start(
      planOf({
        name: `g${generation}`,
        left: unfinished,
        fresh,
        ...(pruneAfterMs === undefined ? {} : { pruneAfterMs }),
        ...(how.at === undefined ? {} : { killAt: how.at }),
      }),
    );
    const companion = fresh.length > 0 && generation % 2 === 0 ? startCompanion() : undefined;
    const timer =
      how.afterMs === undefined ? undefined : setTimeout(() => victim.child.kill('SIGKILL'), how.afterMs);
    if (generation % 5 === 0) await backUpWithNode();
    const wasKilled = await victim.ended;
    clearTimeout(timer);
    if (companion !== undefined) await wakeUntilEnded([companion]);
    return wasKilled;
  };

  /** Makes a backup by other means than the processes have, while they are at work. */
  const backUpWithNode = async () => {
    if (nodeBackup === undefined) return;
    listen();
    const path = join(program.folder, `node-${generation}.db`);
    saving.set(path, report.end);
    await nodeBackup(place.place, path);
    saved.push(path);
  };

  /** A process with a thread of its own, whose clock may be wrong by an hour, and which pauses itself somewhere. */
  const startCompanion = () => {
    const thread = `t${generation}-beside`;
    began.push(thread);
    companions += 1;
    const off = [0, HOUR, -HOUR][Math.floor(random() * 3)] ?? 0;
    const name = `g${generation}-beside`;
    const ahead = generation * HOUR + off;
    return start(planOf({ name, left: [], fresh: [thread], ahead, pauseAt: drawPause() }));
  };

  /**
   * The age at which a thread may be pruned: threads that were finished and checked several processes ago. Undefined where a thread
   * that old is still at work: its last process may have died right before it reported the end.
   */
  const pruneAfter = (unfinished: readonly string[]): number | undefined => {
    const oldest = generation - 4;
    if (oldest < 1 || unfinished.some((thread) => Number(/^t(\d+)-/.exec(thread)?.[1]) < oldest))
      return undefined;
    return kind === 'sqlite' ? 7 * HOUR : Date.now() - (starts[oldest - 1] ?? 0);
  };

  let keptFrom = 0;
  /**
   * What holds at every moment: all that was acknowledged is stored, the history chains and the backups are whole, no call ran more
   * often than it may, and a person was asked only about calls in doubt. With `all`, checks every acknowledged row again.
   */
  const check = async (all = false) => {
    listen();
    const problems = [...needless];
    const threads = new Set(unsettled());
    problems.push(...(await findLosses(store, { report, threads, keptFrom: all ? 0 : keptFrom })));
    keptFrom = report.end;
    for (const path of saved.splice(0)) {
      if (kind !== 'sqlite') continue;
      backups += 1;
      problems.push(...(await checkBackup(path, { report, threads, through: saving.get(path) ?? 0 })));
    }
    const counts = countEffects(effects.lines);
    const isFinished = finished();
    for (const thread of threads) {
      const unknown = unknownCalls.get(thread);
      const most = (what: keyof typeof CALL_OF) => 1 + (unknown?.get(CALL_OF[what]) ?? 0);
      // After a replacement a person may have cancelled the call whose second step this is.
      const least = (what: string) =>
        !isFinished.has(thread) || (unknown !== undefined && what === 'subscribe') ? 0 : 1;
      problems.push(...findWrongCounts(counts, thread, { most, least }));
      if (isFinished.has(thread)) problems.push(...(await findOpenWork(store, thread)));
    }
    if (problems.length > 0) throw new Error(problems.join('\n'));
    for (const thread of threads) if (isFinished.has(thread)) settled.add(thread);
  };

  const settle = async () => {
    await run([], {});
    await check(true);
  };

  /** Resolves when the processes have got on by some answers, or have all ended. */
  const progress = async (processes: readonly Started[], answers: number) => {
    const count = () => (listen(), report.linesOf('answered').length);
    const enough = count() + answers;
    await until(() => count() >= enough || haveEnded(processes));
  };

  /** Notes for each thread which calls a backup does not know: those may run again each time that it takes the place of the file. */
  const noteUnknownCalls = async (
    backup: string,
    { threads, times }: { readonly threads: readonly string[]; readonly times: number },
  ) => {
    const copy = sqliteStore(backup);
    for (const thread of threads) {
      const known = await knownCalls(copy, thread);
      const counts = unknownCalls.get(thread) ?? new Map<string, number>();
      for (const call of new Set(Object.values(CALL_OF)))
        if (!known.has(call)) counts.set(call, (counts.get(call) ?? 0) + times);
      unknownCalls.set(thread, counts);
    }
    await copy.close();
  };

  const replace = async (what: ReplacementKind) => {
    generation += 1;
    starts.push(Date.now());
    const threads = Array.from({ length: 4 }, (_, n) => `t${generation}-shared-${n}`);
    began.push(...threads);
    // Those that killed processes left are restored as well.
    for (const thread of unsettled()) unknownCalls.set(thread, unknownCalls.get(thread) ?? new Map());
    const replaced = isAbsentMeanwhile(what) ? 'absent' : 'restore';
    const processes = [0, 1, 2].map((n) =>
      start(
        planOf({
          name: `g${generation}-shared-${n}`,
          left: [],
          fresh: [...threads.slice(n), ...threads.slice(0, n)],
          leaseMs: 2000,
          replaced,
          ...(n === 0 ? { pauseAt: drawPause() } : {}),
        }),
      ),
    );
    const awake = processes.slice(1);
    await progress(awake, 1 + Math.floor(random() * 6));
    const backup = join(program.folder, `backup-${generation}.db`);
    const through = report.end;
    backUp(place.place, backup);
    await progress(awake, 1 + Math.floor(random() * 6));
    await store.close();
    const lost = () => report.linesOf('lost').filter(({ rest }) => rest.includes(' STORE_FAILED ')).length;
    const before = lost();
    const times = await replaceFile({
      kind: what,
      path: place.place,
      backup,
      restorer,
      random,
      noticed: async () => {
        await until(() => (listen(), lost() > before || haveEnded(awake)));
      },
    });
    if (times > 0) await noteUnknownCalls(backup, { threads: unsettled(), times });
    report.replaced(what === 'moved' ? Infinity : through);
    writeFileSync(files.replacements, String(report.replacements));
    await progress(awake, 2);
    await wakeUntilEnded(processes);
    store = openPlace(place);
    saving.set(backup, through);
    saved.push(backup);
    await check(true);
  };

  return {
    async crash(how) {
      const fresh = Array.from({ length: 2 }, (_, n) => `t${generation}-${n}`);
      const killed = await run(fresh, 'at' in how ? { at: how.at } : how);
      if (killed) kills += 1;
      await check();
      if (generation % SETTLED_EVERY === 0) await settle();
      return killed;
    },
    replace,
    async conclude() {
      await settle();
      const unfinished = unsettled();
      if (unfinished.length > 0) throw new Error(`not finished: ${unfinished.join(', ')}`);
      const again = [...countEffects(effects.lines)].filter(
        ([effect, times]) => times > 1 && !effect.startsWith('note '),
      );
      return {
        threads: began.length,
        kills,
        interrupts: report.linesOf('shown').length,
        answers: report.linesOf('answered').length,
        doubts: doubted.size,
        companions,
        pauses,
        kept: report.linesOf('kept').length,
        backups,
        replacements: report.replacements,
        unknownToBackup: again.length,
      };
    },
    async dispose() {
      program.dispose();
      restorer.dispose();
      await store.close();
    },
  };
}

/** A folder for what a campaign keeps, outside the repository. */
export function campaignFolder(): string {
  return mkdtempSync(join(tmpdir(), 'holdpoint-crash-'));
}
