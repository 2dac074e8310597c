/** One of several processes that do a task at the same moment. Its parent sends the task. */
import type { GenerateResponse } from 'holdpoint';
import { defineAgent, defineTool, HoldpointError } from 'holdpoint';
import { scriptedModel } from 'holdpoint/testing';
import { appendFileSync, rmSync } from 'node:fs';
import type { BeginRun } from '../../src/ledger/index.ts';
import { expireDue } from '../../src/ledger/index.ts';
import { beginRun, withdrawInterrupt } from '../../src/ledger/testing-support/as-operator.ts';
import { endRun } from '../../src/ledger/testing-support/end-run.ts';
import type { ResumeEntry } from '../../src/protocol/index.ts';
import { createMaintenance } from '../processes/maintenance.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';

export interface RacerSetting extends StorePlace {
  /** The file of effects: the tool of `generate` adds a line each time it runs. */
  readonly effects: string;
}

/** The task of a process. `at`: when to do it, in milliseconds since the epoch; default: at once. */
export type RacerTask = { readonly at?: number } & (
  | { readonly type: 'answer'; readonly thread: string; readonly entry: ResumeEntry }
  | { readonly type: 'withdraw'; readonly thread: string; readonly interruptId: string }
  | { readonly type: 'continue'; readonly thread: string }
  | { readonly type: 'sweep' }
  /** Maintenance; `turn` selects which. */
  | { readonly type: 'maintain'; readonly turn: number }
  | { readonly type: 'generate'; readonly thread: string; readonly entry?: ResumeEntry }
);

/** The result of a task: how the run began, an error code, or the number of interrupts that a sweep ended. */
export interface RacerResult {
  readonly type: string;
  readonly by?: unknown;
  readonly ended?: number;
  readonly response?: Pick<GenerateResponse, 'finishReason' | 'text'> & { readonly interruptIds: string[] };
}

const setting = JSON.parse(process.argv[2] ?? '{}') as RacerSetting;
const store = openPlace(setting);
const maintenance = createMaintenance({ ...setting, store });

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  approval: true,
  run: (_input, { threadId }) => (appendFileSync(setting.effects, `${threadId}\n`), 'paid'),
});
const agent = defineAgent({
  id: 'payer',
  tools: [pay],
  model: scriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? { calls: [{ id: 'pay-call', name: 'pay' }] } : 'Done.',
  ),
});

/** A run that adds a line to the log of the thread, so that runs can be counted. */
async function run(thread: string, rest: Pick<BeginRun, 'entries' | 'continues'>): Promise<RacerResult> {
  const key = { scope: 's', thread };
  const begun = await beginRun(store, {
    key,
    runId: `run-${process.pid}-${thread}`,
    agent: 'a',
    principal: { id: String(process.pid), scope: 's' },
    newMessages: [],
    via: 'ag-ui',
    leaseMs: 60_000,
    ...rest,
  });
  if (begun.type !== 'started') return { type: begun.type };
  const ran = begun.answers.map(({ status, payload }) => ({ status, payload: payload ?? null }));
  await store.commit({ appends: [{ log: 'events', ...key, items: [{ ran }] }] });
  await endRun(store, begun.lease, { outcome: 'success' });
  return { type: 'started' };
}

async function generate(threadId: string, entry: ResumeEntry | undefined): Promise<RacerResult> {
  const what = entry === undefined ? { prompt: 'go' } : { resume: [entry] };
  const principal = { id: String(process.pid), scope: 's' };
  const { finishReason, text, interrupts } = await agent.generate({ store, threadId, principal, ...what });
  const interruptIds = interrupts.map(({ interrupt }) => interrupt.id);
  return { type: 'generated', response: { finishReason, text, interruptIds } };
}

/** Sweeps until no interrupt is due. */
async function sweep(): Promise<RacerResult> {
  let ended = 0;
  for (;;) {
    ended += await expireDue(store, { limit: 7 });
    const dueBefore = (await store.now()) + 1;
    const { rows } = await store.list({ table: 'interrupts', status: ['pending'], dueBefore, order: 'due' });
    if (rows.length === 0) return { type: 'swept', ended };
  }
}

/** Prunes threads of earlier races: those of this one are younger. */
const PRUNED_AFTER_MS = 60_000;

async function maintain(turn: number): Promise<RacerResult> {
  const works = [
    () => maintenance.trimAndKeep(`keeper-${turn}`),
    () => maintenance.prune(PRUNED_AFTER_MS),
    () => maintenance.checkpoint(),
    async () => {
      const copy = `${setting.effects}-${turn}.db`;
      await maintenance.backup(copy);
      rmSync(copy, { force: true });
    },
  ];
  await works[turn % works.length]?.();
  return { type: 'maintained' };
}

let tasks = 0;

/** Does a task beside a trim, which shares a transaction with the first commit of the task. */
async function performBesideTrim(task: RacerTask): Promise<RacerResult> {
  tasks += 1;
  const kept = maintenance.trimAndKeep(`${process.pid}-${tasks}`);
  const result = await perform(task);
  await kept;
  return result;
}

async function perform(task: RacerTask): Promise<RacerResult> {
  // Busy waiting, because a timer would be late.
  while (task.at !== undefined && Date.now() < task.at);
  try {
    switch (task.type) {
      case 'answer':
        return await run(task.thread, { entries: [task.entry] });
      case 'withdraw': {
        const { interruptId } = task;
        await withdrawInterrupt(store, {
          key: { scope: 's', thread: task.thread },
          interruptId,
          by: 'asker',
        });
        return { type: 'withdrawn' };
      }
      case 'continue':
        return await run(task.thread, { entries: [], continues: 'background' });
      case 'sweep':
        return task.at === undefined ? await sweep() : { type: 'swept', ended: await expireDue(store) };
      case 'generate':
        return await generate(task.thread, task.entry);
      case 'maintain':
        return await maintain(task.turn);
    }
  } catch (error) {
    if (!HoldpointError.is(error)) throw error;
    return { type: error.code, by: error.details?.['by'] };
  }
}

await store.now();
process.on('message', (task: RacerTask | 'ready' | 'end') => {
  if (task === 'ready') process.send?.({ type: 'ready' });
  else if (task === 'end') void store.close().then(() => process.disconnect());
  else void performBesideTrim(task).then((result) => process.send?.(result));
});
