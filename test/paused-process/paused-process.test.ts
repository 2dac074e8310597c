import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { approve } from 'holdpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readThread, verifyHistory } from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import type { Effects } from '../processes/effects.ts';
import { openEffects } from '../processes/effects.ts';
import { createDatabase } from '../postgres/create-database.ts';
import type { Program } from '../processes/processes.ts';
import { createMaintenance } from '../processes/maintenance.ts';
import { bundleProgram, until } from '../processes/processes.ts';
import { IS_DEEP } from '../size.ts';
import type { StorePlace } from '../processes/store-place.ts';
import { openPlace } from '../processes/store-place.ts';
import { dumpThread } from '../processes/dump-thread.ts';
import type { FreezePlan } from './child.ts';
import { clerk, finish, ONCE } from './scenario.ts';

/** Long enough that a busy machine does not lose a run before it is frozen; the tests wait for its end side by side. */
const LEASE_MS = 2000;

let database: string;
let program: Program;
beforeAll(async () => {
  [database, program] = await Promise.all([
    createDatabase(),
    bundleProgram(join(import.meta.dirname, 'child.ts')),
  ]);
});
afterAll(() => program.dispose());

const PLACES: Readonly<Record<string, () => StorePlace>> = {
  'one SQLite file': () => ({ kind: 'sqlite', place: join(program.folder, 'freeze.db') }),
  PostgreSQL: () => ({ kind: 'postgres', place: database, schema: 'freeze' }),
};

/** Where it is frozen: on its first words, or on an answer that lets everything happen. */
const MOMENTS: readonly (readonly [
  where: string,
  says: 'prompt' | 'answer',
  freezeAt: FreezePlan['freezeAt'],
])[] = [
  ['right before a tool that was approved', 'answer', 'tool:before'],
  ['right before a tool that may run again', 'prompt', 'tool:before'],
  ['right before a step', 'answer', 'step:before'],
  ['in the middle of its first model call', 'prompt', 'model:middle'],
  ['in the middle of a later model call', 'answer', 'model:middle'],
  ['right before it keeps what it did', 'answer', 'keep:before-commit'],
  ['right before it raises its question', 'prompt', 'end:before-commit'],
  ['right before its end', 'answer', 'end:before-commit'],
];

/** What cannot be undone was done once; the rest may have been done again. */
function assertDoneOnce(effects: Effects, threadId: string): void {
  const all = effects.lines.map((effect) => effect.replace(` ${threadId}`, ''));
  expect(all.filter((effect) => ONCE.includes(effect)).toSorted()).toEqual(ONCE);
  expect(all).toContain('note');
}

describe.concurrent.each(Object.entries(PLACES))(
  'a process that is frozen past its lease, over %s',
  (name, place) => {
    let store: Store;
    beforeAll(async () => {
      store = openPlace(place());
      await store.now();
    });
    afterAll(() => store.close());

    /** A thread that a process was frozen on, and what can be seen of it. */
    const freeze = async (threadId: string, says: 'prompt' | 'answer', freezeAt: FreezePlan['freezeAt']) => {
      const files = join(program.folder, `${name} ${threadId}`);
      const effects = openEffects(`${files} effects`);
      const report = `${files} report`;
      const said = () => (existsSync(report) ? readFileSync(report, 'utf8').split('\n').slice(0, -1) : []);
      const agent = clerk(effects);
      const given = { store, threadId, leaseMs: LEASE_MS };
      const paused =
        says === 'answer' ? await agent.generate({ ...given, leaseMs: 60_000, prompt: 'go' }) : undefined;
      const resume = paused?.interrupts.map(({ interrupt }) => approve(interrupt));
      const plan: FreezePlan = {
        ...place(),
        effects: `${files} effects`,
        report,
        threadId,
        leaseMs: LEASE_MS,
        freezeAt,
        ...(resume === undefined ? {} : { resume }),
      };
      const child = program.start(plan);
      await until(() => said().length > 0);
      return {
        agent,
        given,
        effects,
        resume,
        said,
        key: { scope: 'default', thread: threadId },
        /** Lets it go on, and waits until it is over. */
        async wake() {
          expect(said()).toEqual(['frozen']);
          child.kill('SIGCONT');
          await once(child, 'exit');
          return said().slice(1);
        },
      };
    };
    /** What an operator does to the store while a process is frozen. */
    const maintain = async (id: string) => {
      const { trimAndKeep, prune, checkpoint, backup } = createMaintenance({ ...place(), store });
      await Promise.all([trimAndKeep(id), prune(60_000), checkpoint()]);
      await backup(join(program.folder, `${name} ${id}.db`));
    };
    const leaseIsOver = (key: { readonly scope: string; readonly thread: string }) =>
      until(
        async () => (await store.now()) > ((await readThread(store, key))?.active?.leaseUntil ?? Infinity),
      );

    // Every day PostgreSQL has the two moments at which something irrevocable would be done.
    it.each(
      IS_DEEP || name !== 'PostgreSQL'
        ? MOMENTS
        : MOMENTS.filter(([, , at]) => at === 'tool:before' || at === 'step:before'),
    )('%s, does nothing when it is woken, and says that its run is lost', async (where, says, at) => {
      const { agent, given, effects, key, wake } = await freeze(where, says, at);
      await leaseIsOver(key);
      const done = await finish(agent, { ...given, leaseMs: 60_000 }, effects);
      expect(done.messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
      assertDoneOnce(effects, where);
      await maintain(where);
      const before = { lines: effects.lines, thread: await dumpThread(store, key) };
      expect(await wake()).toEqual(['woken', 'ended RUN_LOST']);
      expect({ lines: effects.lines, thread: await dumpThread(store, key) }).toEqual(before);
      expect(await verifyHistory(store, key)).toBeUndefined();
    });

    it('right before its claim, finds the thread as others left it', async () => {
      const frozen = await freeze('claim', 'answer', 'change:before-commit');
      const { agent, given, effects, key, resume = [], wake } = frozen;
      const done = await agent.generate({ ...given, leaseMs: 60_000, resume });
      expect(done.text).toBe('All done.');
      const before = await dumpThread(store, key);
      expect(await wake()).toEqual(['woken', 'ended stop All done.']);
      expect(await dumpThread(store, key)).toEqual(before);
      assertDoneOnce(effects, key.thread);
    });

    it('with an answer that somebody else gives as well, is taken over by whom that lets wait', async () => {
      const frozen = await freeze('followed', 'answer', 'keep:before-commit');
      const { agent, given, effects, key, resume = [], wake } = frozen;
      const followed = await agent.generate({ ...given, leaseMs: 60_000, resume });
      // Not a thread that stands still: the follower has gone on with it itself.
      expect(followed.finishReason === 'interrupted' || followed.text === 'All done.').toBe(true);
      await finish(agent, { ...given, leaseMs: 60_000 }, effects);
      const before = await dumpThread(store, key);
      expect(await wake()).toEqual(['woken', 'ended RUN_LOST']);
      expect(await dumpThread(store, key)).toEqual(before);
      assertDoneOnce(effects, key.thread);
    });
  },
);
