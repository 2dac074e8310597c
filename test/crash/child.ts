/**
 * A process that is killed or frozen. It takes up the threads that earlier processes left behind, then works on new ones,
 * does maintenance in between, and reports in a file what it has seen. Its parent decides where and when it ends.
 */
import { appendFileSync } from 'node:fs';
import { setFaultHook } from '../../src/core/index.ts';
import type { FaultPoint } from '../../src/core/index.ts';
import { HoldpointError } from 'holdpoint';
import type { GenerateResponse } from 'holdpoint';
import { readExecutions } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { postgresStore } from 'holdpoint/store/postgres';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { createMaintenance } from '../processes/maintenance.ts';
import { createRandom } from '../size.ts';
import { answerTo, bankAgent, doubtedExecution, isFinished, isInDoubt, openWorld } from './scenario.ts';

export interface CrashPlan {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  readonly schema: string;
  readonly world: string;
  readonly report: string;
  /** Threads that are not known to be finished. */
  readonly left: readonly string[];
  readonly fresh: readonly string[];
  /** Milliseconds that the clock of a SQLite file is ahead: every lease of an earlier process is over. */
  readonly ahead: number;
  /** Names the process: its maintenance is drawn by this name. */
  readonly name: string;
  /** Prunes threads this many milliseconds after their end; without it, none. */
  readonly pruneAfterMs?: number;
  readonly leaseMs: number;
  /** Ends itself when it comes to this place for the nth time. */
  readonly killAt?: { readonly point: FaultPoint; readonly hit: number };
  /** Stops itself (SIGSTOP) when it comes to this place for the nth time; its parent wakes it. */
  readonly freezeAt?: { readonly point: FaultPoint; readonly hit: number };
}

const plan = JSON.parse(process.argv[2] ?? '{}') as CrashPlan;
const world = openWorld(plan.world);
const agent = bankAgent(world);
const say = (line: string) => appendFileSync(plan.report, `${line}\n`);

const hits = new Map<FaultPoint, number>();
setFaultHook((point) => {
  if (point.endsWith('before-commit')) maintain();
  const hit = (hits.get(point) ?? 0) + 1;
  hits.set(point, hit);
  const isHere = (at: CrashPlan['killAt']) => at?.point === point && at.hit === hit;
  if (isHere(plan.killAt)) process.kill(process.pid, 'SIGKILL');
  if (isHere(plan.freezeAt)) {
    say('frozen');
    process.kill(process.pid, 'SIGSTOP');
  }
});

function openStore(): Store {
  const { kind, place, schema, ahead } = plan;
  if (kind === 'sqlite') return sqliteStore(place, { clock: { now: () => Date.now() + ahead } });
  return postgresStore(place, { schema });
}

async function finish(store: Store, threadId: string, isNew: boolean): Promise<void> {
  const given = { store, threadId, leaseMs: plan.leaseMs };
  let response: GenerateResponse | undefined;
  for (let round = 0; round < 200; round += 1) {
    const parts = response?.interrupts ?? [];
    try {
      if (response !== undefined && isFinished(response)) {
        say(`finished ${threadId}`);
        return;
      }
      for (const { interrupt } of parts) say(`shown ${threadId} ${interrupt.id}`);
      for (const part of parts) {
        if (isInDoubt(part)) say(`doubt ${threadId} ${part.interrupt.id} ${doubtedExecution(part)}`);
      }
      const resume = parts.map((part) => answerTo(part, threadId, world));
      const left = await executionsLeft(store, threadId);
      if (left.length > 0) say(`left ${threadId} ${left.join(' ')}`);
      if (parts.length > 0) response = await agent.generate({ ...given, resume });
      else if (isNew && response === undefined) response = await agent.generate({ ...given, prompt: 'go' });
      else response = await agent.generate(given);
      for (const { interrupt } of parts) say(`answered ${threadId} ${interrupt.id}`);
      // Nothing was ever kept of it, or another still has its lease.
      if (response.messages.length === 0) response = await agent.generate({ ...given, prompt: 'go' });
      else if (response.finishReason !== 'interrupted' && !isFinished(response)) await later();
    } catch (error) {
      if (!HoldpointError.is(error)) throw error;
      if (error.code !== 'RUN_LOST' && error.code !== 'RUN_CONFLICT') throw error;
      say(`lost ${threadId} ${error.code}`);
      response = undefined;
      await later();
    }
  }
  throw new Error(`The thread ${threadId} does not come to an end.`);
}

/** What a dead process left of a thread: what it had begun, with a `!` for what had no end yet. */
async function executionsLeft(store: Store, thread: string): Promise<string[]> {
  const executions = await readExecutions(store, { scope: 'default', thread });
  return [...executions].map(([key, { outcome }]) => (outcome === undefined ? `!${key}` : key));
}

/** Maintenance that is under way. */
const maintained: Promise<void>[] = [];
const random = createRandom(`maintenance of ${plan.name}`);

/** Starts something or nothing; does not wait, so that it meets the commit that follows. */
function maintain(): void {
  const id = `${plan.name}-${maintained.length}`;
  const draw = random();
  if (draw < 0.3) {
    maintained.push(maintenance.trimAndKeep(id).then(() => say(`kept ${id}`)));
  } else if (draw < 0.35) {
    maintained.push(maintenance.checkpoint());
  } else if (draw < 0.38) {
    const path = `${plan.report}-${id}.db`;
    say(`saving ${path}`);
    maintained.push(maintenance.backup(path).then(() => say(`saved ${path}`)));
  } else if (draw < 0.43 && plan.pruneAfterMs !== undefined) {
    maintained.push(maintenance.prune(plan.pruneAfterMs));
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
  say(`began ${threadId}`);
  await finish(store, threadId, true);
}
await Promise.all(maintained);
await store.close();
say('end');
