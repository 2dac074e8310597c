/**
 * The process that is killed. It takes up what earlier ones left behind, then works on new threads, and says what it has
 * seen in a file; where and when it ends is its parent's business.
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
  readonly leaseMs: number;
  /** Ends itself when it comes to this place for the nth time. */
  readonly killAt?: { readonly point: FaultPoint; readonly hit: number };
}

const plan = JSON.parse(process.argv[2] ?? '{}') as CrashPlan;
const world = openWorld(plan.world);
const agent = bankAgent(world);
const say = (line: string) => appendFileSync(plan.report, `${line}\n`);

let hits = 0;
setFaultHook((point) => {
  if (point !== plan.killAt?.point) return;
  hits += 1;
  if (hits === plan.killAt.hit) process.kill(process.pid, 'SIGKILL');
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

function later(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
}

const store = openStore();
await store.now();
for (const threadId of plan.left) await finish(store, threadId, false);
for (const threadId of plan.fresh) {
  say(`began ${threadId}`);
  await finish(store, threadId, true);
}
await store.close();
say('end');
