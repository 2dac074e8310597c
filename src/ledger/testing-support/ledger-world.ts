/** Stores, principals, interrupts and runs for the tests of the ledger. */
import type { Clock } from '../../core/index.ts';
import type { Interrupt, ResumeEntry } from '../../protocol/index.ts';
import type { Store } from '../../store/index.ts';
import { memoryStore } from '../../store/memory/index.ts';
import { sqliteStore } from '../../store/sqlite/index.ts';
import type { ClaimedRun, EndRun, RaisedInterrupt } from '../index.ts';
import type { RunBy } from './as-operator.ts';
import { beginRun } from './as-operator.ts';
import { endRun } from './end-run.ts';

type CreateStore = (options?: { readonly clock: Clock }) => Store;

export const STORES: readonly (readonly [string, CreateStore])[] = [
  ['memory', (options) => memoryStore(options)],
  ['sqlite', (options) => sqliteStore(':memory:', options)],
];

export const key = { scope: 's', thread: 't' };
export const ana = { id: 'ana', scope: 's' };

export const newInterrupt = (id: string, rest: Partial<Interrupt> = {}): RaisedInterrupt => ({
  interrupt: { id, reason: 'tool_call', ...rest },
});

export const yes = (interruptId: string): ResumeEntry => ({
  interruptId,
  status: 'resolved',
  payload: { approved: true },
});

let runs = 0;

/** The options of a run, with defaults for tests. */
export function runOf(rest: Partial<RunBy> = {}): RunBy {
  runs += 1;
  const base = { key, agent: 'a', principal: ana, entries: [], newMessages: [], via: 'ag-ui' as const };
  return { ...base, leaseMs: 1000, runId: `run-${runs}`, ...rest };
}

/** Begins a run and expects that it starts. */
export async function started(store: Store, rest: Partial<RunBy> = {}): Promise<ClaimedRun> {
  const begun = await beginRun(store, runOf(rest));
  if (begun.type !== 'started') throw new Error(`expected a run, found ${begun.type}`);
  return begun;
}

export function end(store: Store, run: ClaimedRun, rest: Partial<EndRun> = {}): Promise<void> {
  return endRun(store, run.lease, { outcome: 'success', ...rest });
}

/** A thread with an open batch of these interrupts. */
export async function waiting(
  store: Store,
  raised: readonly RaisedInterrupt[],
  rest: Partial<RunBy> = {},
): Promise<void> {
  const run = await started(store, { newMessages: ['hello'], ...rest });
  await end(store, run, { outcome: 'interrupt', raised, turn: { saved: true }, messages: ['asked'] });
}

/** A thread with a settled interrupt and nothing left to do. */
export async function finished(store: Store, rest: Partial<RunBy> = {}): Promise<void> {
  await waiting(store, [newInterrupt('q')], rest);
  const run = await started(store, { ...rest, entries: [yes('q')] });
  await end(store, run, { turn: null, messages: ['done'], events: [{ type: 'X' }], settled: ['q'] });
}
