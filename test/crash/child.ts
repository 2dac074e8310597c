/**
 * A process of a campaign. It continues the threads that earlier processes left, then works on new ones, does maintenance in
 * between, and writes what it saw into the report. Its parent decides where and when it is killed or paused.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setFaultHook } from '../../src/core/index.ts';
import type { FaultPoint } from '../../src/core/index.ts';
import { HoldpointError } from 'holdpoint';
import type { GenerateResponse } from 'holdpoint';
import { readExecutions } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { openEffects } from '../processes/effects.ts';
import { createMaintenance } from '../processes/maintenance.ts';
import { createRandom } from '../size.ts';
import { answerTo, bankAgent, doubtedExecution, isFinished, isInDoubt } from './scenario.ts';

export interface CrashPlan {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema: string;
  /** The file with what the tools did. */
  readonly effects: string;
  readonly report: string;
  /** The file with the number of replacements of the database that are over. */
  readonly replacements: string;
  /** Threads that are not known to be finished. */
  readonly left: readonly string[];
  readonly fresh: readonly string[];
  /** Milliseconds that the clock of a SQLite file is ahead, so that every lease of an earlier process has ended. */
  readonly ahead: number;
  /** Names the process; its maintenance is drawn by this name. */
  readonly name: string;
  /** Prunes threads this many milliseconds after their end; without it, none. */
  readonly pruneAfterMs?: number;
  readonly leaseMs: number;
  /** Kills itself when it reaches this point for the nth time. */
  readonly killAt?: { readonly point: FaultPoint; readonly hit: number };
  /** Pauses itself (SIGSTOP) when it reaches this point for the nth time; its parent wakes it. */
  readonly pauseAt?: { readonly point: FaultPoint; readonly hit: number };
  /** Others work on the same threads, and the database is replaced meanwhile: by `restore`, or so that no file is there for a while. */
  readonly replaced?: 'restore' | 'absent';
}

const plan = JSON.parse(process.argv[2] ?? '{}') as CrashPlan;
const effects = openEffects(plan.effects);
const agent = bankAgent(effects);

/** How many replacements were over before an action began. A parent that knows this knows which file the action was written to. */
function replacements(): string {
  return existsSync(plan.replacements) ? readFileSync(plan.replacements, 'utf8') : '0';
}

function report(line: string, since = replacements()): void {
  appendFileSync(plan.report, `${since} ${line}\n`);
}

const hits = new Map<FaultPoint, number>();
setFaultHook((point) => {
  if (point.endsWith('before-commit')) maintain();
  const hit = (hits.get(point) ?? 0) + 1;
  hits.set(point, hit);
  const isHere = (at: CrashPlan['killAt']) => at?.point === point && at.hit === hit;
  if (isHere(plan.killAt)) process.kill(process.pid, 'SIGKILL');
  if (isHere(plan.pauseAt)) {
    report('paused');
    process.kill(process.pid, 'SIGSTOP');
  }
});

function openStore(): Store {
  const { kind, place, schema, ahead } = plan;
  if (kind === 'sqlite') return sqliteStore(place, { clock: { now: () => Date.now() + ahead } });
  return postgresStore(place, { schema });
}

/** Errors after which a process reads the thread again: another process has it, or had it. */
const EXPECTED: ReadonlySet<string> = new Set(['RUN_LOST', 'RUN_CONFLICT', 'INTERRUPTS_PENDING']);
/** Those of several people who answer the same interrupts. */
const EXPECTED_BESIDE_OTHERS: ReadonlySet<string> = new Set([
  'INTERRUPT_CONFLICT',
  'INTERRUPT_UNKNOWN',
  'INTERRUPTS_UNANSWERED',
]);

function isExpected(error: unknown): error is HoldpointError {
  if (!HoldpointError.is(error)) return false;
  if (EXPECTED.has(error.code)) return true;
  if (plan.replaced === undefined) return false;
  return EXPECTED_BESIDE_OTHERS.has(error.code) || isReplaced(error);
}

/** True for the failures that a replaced or absent file may cause; a damaged file is not one of them. */
function isReplaced(error: HoldpointError): boolean {
  if (error.code !== 'STORE_FAILED') return false;
  return error.details?.['replaced'] === true || error.message.includes('is no longer there');
}

const MOST_ROUNDS = plan.replaced === undefined ? 200 : 3000;

async function finish(store: Store, threadId: string, isNew: boolean): Promise<void> {
  const given = { store, threadId, leaseMs: plan.leaseMs };
  let response: GenerateResponse | undefined;
  let since = replacements();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const parts = response?.interrupts ?? [];
    try {
      if (response !== undefined && isFinished(response)) {
        report(`finished ${threadId}`, since);
        return;
      }
      for (const { interrupt } of parts) report(`shown ${threadId} ${interrupt.id}`, since);
      for (const part of parts) {
        if (isInDoubt(part)) report(`doubt ${threadId} ${part.interrupt.id} ${doubtedExecution(part)}`);
      }
      const resume = parts.map((part) => answerTo(part, threadId, effects));
      since = replacements();
      const left = await executionsLeft(store, threadId);
      if (left.length > 0) report(`left ${threadId} ${left.join(' ')}`);
      if (parts.length > 0) response = await agent.generate({ ...given, resume });
      else if (isNew && round === 0) response = await agent.generate({ ...given, prompt: 'go' });
      else response = await agent.generate(given);
      for (const { interrupt } of parts) report(`answered ${threadId} ${interrupt.id}`, since);
      const isStill = response.finishReason !== 'interrupted' && !isFinished(response);
      // Nothing of the thread is stored, a person cancelled all that it waited for, or another process has its lease.
      if (response.messages.length === 0 || isStill)
        response = await agent.generate({ ...given, prompt: 'go' });
    } catch (error) {
      if (!isExpected(error)) throw error;
      report(`lost ${threadId} ${error.code} ${error.message}`);
      response = undefined;
      await later();
    }
  }
  throw new Error(`The thread ${threadId} does not come to an end.`);
}

/** The executions that a dead process left of a thread, with a `!` before each that has no outcome. */
async function executionsLeft(store: Store, thread: string): Promise<string[]> {
  const executions = await readExecutions(store, { scope: 'default', thread });
  return [...executions].map(([key, { outcome }]) => (outcome === undefined ? `!${key}` : key));
}

/** Maintenance that is under way. */
const maintained: Promise<void>[] = [];
let draws = 0;
/** Pruning commits, and each commit draws: at most one is under way, and none begins after the work. */
let mayPrune = plan.pruneAfterMs !== undefined;
const random = createRandom(`maintenance of ${plan.name}`);

/** Draws what to start, or nothing. Does not wait, so that it meets the commit that follows. */
function maintain(): void {
  draws += 1;
  const id = `${plan.name}-${draws}`;
  const draw = random();
  if (draw < 0.3) {
    maintained.push(trimAndKeep(id));
  } else if (draw < 0.35 && plan.replaced !== 'absent') {
    // A checkpoint opens the file itself, and would create an empty file if the file is absent.
    maintained.push(maintenance.checkpoint());
  } else if (draw < 0.38 && plan.replaced === undefined) {
    const path = `${plan.report}-${id}.db`;
    report(`saving ${path}`);
    maintained.push(maintenance.backup(path).then(() => report(`saved ${path}`)));
  } else if (draw < 0.43 && mayPrune) {
    mayPrune = false;
    maintained.push(maintenance.prune(plan.pruneAfterMs ?? 0).then(() => void (mayPrune = true)));
  }
}

async function trimAndKeep(id: string): Promise<void> {
  const since = replacements();
  try {
    await maintenance.trimAndKeep(id);
    report(`kept ${id}`, since);
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}

function later(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
}

const store = openStore();
const maintenance = createMaintenance({ ...plan, store });
await store.now();
for (const threadId of plan.left) await finish(store, threadId, false);
for (const threadId of plan.fresh) {
  report(`began ${threadId}`);
  await finish(store, threadId, true);
}
setFaultHook(undefined);
while (maintained.length > 0) await Promise.all(maintained.splice(0));
await store.close();
report('end');
