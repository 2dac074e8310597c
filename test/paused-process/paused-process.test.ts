import { once } from 'node:events';
import { join } from 'node:path';
import { approve } from 'holdpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readThread, verifyHistory } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { dumpThread } from '../processes/dump-thread.ts';
import type { Effects } from '../processes/effects.ts';
import { openEffects } from '../processes/effects.ts';
import { createMaintenance } from '../processes/maintenance.ts';
import { until } from '../processes/processes.ts';
import { openPlace } from '../processes/store-place.ts';
import { useProgram } from '../processes/use-program.ts';
import { IS_DEEP } from '../size.ts';
import type { PausePlan } from './child.ts';
import { clerk, finish, ONCE } from './scenario.ts';

/** The tests wait side by side until such a lease ends. */
const LEASE_MS = 2000;
/** The lease of runs that must not lose it. */
const LONG_LEASE_MS = 60_000;

const { program, places } = useProgram(import.meta.dirname);

type Input = 'prompt' | 'answer';

/** Where a process is paused, and whether its run begins with a prompt or with an answer. */
const POINTS: readonly (readonly [where: string, input: Input, pauseAt: PausePlan['pauseAt']])[] = [
  ['before an approved call', 'answer', 'tool:before'],
  ['before an idempotent call', 'prompt', 'tool:before'],
  ['before a step', 'answer', 'step:before'],
  ['during its first model call', 'prompt', 'model:middle'],
  ['during a later model call', 'answer', 'model:middle'],
  ['before it stores a result', 'answer', 'keep:before-commit'],
  ['before it raises its interrupt', 'prompt', 'end:before-commit'],
  ['before it stores its end', 'answer', 'end:before-commit'],
];

/** Calls that must not run twice ran once; idempotent ones ran. */
function assertRanOnce(effects: Effects, threadId: string): void {
  const all = effects.lines.map((effect) => effect.replace(` ${threadId}`, ''));
  expect(all.filter((effect) => ONCE.includes(effect)).toSorted()).toEqual(ONCE);
  expect(all).toContain('note');
}

describe.concurrent.each(Object.entries(places))('a paused process, over %s', (name, place) => {
  let store: Store;
  beforeAll(async () => {
    store = openPlace(place());
    await store.now();
  });
  afterAll(() => store.close());

  /**
   * Starts a process on a new thread and waits until it is paused. On a busy machine its lease may end before: then another process
   * starts on another thread, with twice the lease.
   */
  const pause = async (
    { threadId, leaseMs = LEASE_MS }: { readonly threadId: string; readonly leaseMs?: number },
    input: Input,
    pauseAt: PausePlan['pauseAt'],
  ) => {
    const files = join(program().folder, `${name} ${threadId}`);
    const effects = openEffects(`${files} effects`);
    const report = openEffects(`${files} report`);
    const agent = clerk(effects);
    const given = { store, threadId, leaseMs: LONG_LEASE_MS };
    const asked = input === 'answer' ? await agent.generate({ ...given, prompt: 'go' }) : undefined;
    const resume = asked?.interrupts.map(({ interrupt }) => approve(interrupt));
    const plan: PausePlan = {
      ...place(),
      effects: `${files} effects`,
      report: `${files} report`,
      threadId,
      leaseMs,
      pauseAt,
      ...(resume === undefined ? {} : { resume }),
    };
    const child = program().start(plan);
    await until(() => report.lines.length > 0);
    if (report.lines[0] === 'ended RUN_LOST')
      return pause({ threadId: `${threadId} again`, leaseMs: 2 * leaseMs }, input, pauseAt);
    const key = { scope: 'default', thread: threadId };
    /** Wakes the process, and returns what it reports until its end. */
    const wake = async () => {
      expect(report.lines).toEqual(['paused']);
      child.kill('SIGCONT');
      await once(child, 'exit');
      return report.lines.slice(1);
    };
    return { agent, given, effects, resume, key, wake };
  };
  /** What an operator does to the store while a process is paused. */
  const maintain = async (id: string) => {
    const { trimAndKeep, prune, checkpoint, backup } = createMaintenance({ ...place(), store });
    await Promise.all([trimAndKeep(id), prune(60_000), checkpoint()]);
    await backup(join(program().folder, `${name} ${id}.db`));
  };
  const leaseEnds = (key: { readonly scope: string; readonly thread: string }) =>
    until(async () => (await store.now()) > ((await readThread(store, key))?.active?.leaseUntil ?? Infinity));

  // In `npm test` PostgreSQL has the two points right before an effect.
  it.each(
    IS_DEEP || name !== 'PostgreSQL'
      ? POINTS
      : POINTS.filter(([, , at]) => at === 'tool:before' || at === 'step:before'),
  )(
    'a process that is paused past its lease %s changes nothing when it wakes, and ends as RUN_LOST',
    async (where, input, at) => {
      const { agent, given, effects, key, wake } = await pause({ threadId: where }, input, at);
      await leaseEnds(key);
      const done = await finish(agent, given, effects);
      expect(done.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
      assertRanOnce(effects, key.thread);
      await maintain(key.thread);
      const before = { lines: effects.lines, thread: await dumpThread(store, key) };
      expect(await wake()).toEqual(['woken', 'ended RUN_LOST']);
      expect({ lines: effects.lines, thread: await dumpThread(store, key) }).toEqual(before);
      expect(await verifyHistory(store, key)).toBeUndefined();
    },
  );

  it('a process that is paused before its claim returns the result of the process that took the same answer meanwhile', async () => {
    const paused = await pause({ threadId: 'claim' }, 'answer', 'change:before-commit');
    const { agent, given, effects, key, resume = [], wake } = paused;
    const done = await agent.generate({ ...given, resume });
    expect(done.text).toBe('All done.');
    const before = await dumpThread(store, key);
    expect(await wake()).toEqual(['woken', 'ended stop All done.']);
    expect(await dumpThread(store, key)).toEqual(before);
    assertRanOnce(effects, key.thread);
  });

  it('a process that is paused past its lease with an answer is taken over by a process that waits with the same answer', async () => {
    const paused = await pause({ threadId: 'followed' }, 'answer', 'keep:before-commit');
    const { agent, given, effects, key, resume = [], wake } = paused;
    const followed = await agent.generate({ ...given, resume });
    // The waiting process continued the thread itself.
    expect(followed.finishReason === 'interrupted' || followed.text === 'All done.').toBe(true);
    await finish(agent, given, effects);
    const before = await dumpThread(store, key);
    expect(await wake()).toEqual(['woken', 'ended RUN_LOST']);
    expect(await dumpThread(store, key)).toEqual(before);
    assertRanOnce(effects, key.thread);
  });
});
