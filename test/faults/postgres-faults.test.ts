import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approve, HoldpointError } from 'holdpoint';
import type { GenerateResponse } from 'holdpoint';
import { postgresStore } from 'holdpoint/store/postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  beginRun,
  readHistory,
  readThread,
  verifyHistory,
} from '../../src/ledger/testing-support/as-operator.ts';
import type { Store } from '../../src/store/index.ts';
import { answerTo, bankAgent, isFinished, ONCE } from '../crash/scenario.ts';
import { openEffects } from '../processes/effects.ts';
import type { TestPostgres } from '../postgres/start-postgres.ts';
import { createDatabase } from '../postgres/create-database.ts';
import { IS_DEEP } from '../size.ts';
import { startPostgres } from '../postgres/start-postgres.ts';
import { until } from '../processes/processes.ts';
import { clerk, finish } from '../paused-process/scenario.ts';
import { cuttingProxy } from './cutting-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-faults-'));
let database: string;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const codeOf = (error: unknown) => (HoldpointError.is(error) ? error.code : String(error));
const keyOf = (thread: string) => ({ scope: 'default', thread });

describe('a PostgreSQL connection that is cut during a commit', () => {
  /** More commits than a cycle with an interrupt takes; each of them is cut once. */
  const MOST_COMMITS = 20;

  it.each(['answered', 'asked', 'answered wrongly'] as const)(
    'a connection that fails when the commit was %s loses no commit and repeats no commit',
    async (when) => {
      const proxy = await cuttingProxy(database);
      const schema = `cut ${when}`;
      const direct = postgresStore(database, { schema });
      const store = postgresStore(proxy.url, { schema });
      await Promise.all([direct.now(), store.now()]);
      let cuts = 0;
      for (let nth = 1; nth <= MOST_COMMITS; nth += 1) {
        const threadId = `${nth}`;
        const effects = openEffects(join(folder, `cut ${when} ${nth}`));
        const agent = clerk(effects);
        const given = { store, threadId };
        const before = proxy.commits;
        proxy.cut(nth, when);
        /** Only a run that has not begun may fail with it. */
        const attempt = async (what: { prompt: string } | { resume: ReturnType<typeof approve>[] }) => {
          try {
            return await agent.generate({ ...given, ...what });
          } catch (error) {
            expect([when, codeOf(error)]).toEqual(['asked', 'STORE_FAILED']);
            return agent.generate({ ...given, ...what });
          }
        };
        const paused = await attempt({ prompt: 'go' });
        const done = await attempt({ resume: paused.interrupts.map(({ interrupt }) => approve(interrupt)) });
        expect(done.text).toBe('All done.');
        expect(effects.lines.toSorted()).toEqual(
          ['charge', 'note', 'transfer'].map((effect) => `${effect} ${threadId}`),
        );
        const messages = await direct.read({ log: 'messages', ...keyOf(threadId) });
        const ids = messages.map(({ item }) => (item as { id: string }).id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(done.messages.map(({ id }) => id)).toEqual(ids);
        const history = await readHistory(direct, keyOf(threadId));
        expect(history.map(({ what }) => what)).toEqual(['raised', 'staged', 'claimed', 'settled']);
        expect(await verifyHistory(direct, keyOf(threadId))).toBeUndefined();
        if (proxy.commits - before < nth) break;
        cuts += 1;
      }
      // The claims, the starts and results of calls, the interrupts and the end.
      expect(cuts).toBeGreaterThanOrEqual(6);
      expect(cuts).toBeLessThan(MOST_COMMITS);
      await Promise.all([direct.close(), store.close()]);
      await proxy.close();
    },
  );
});

// In `npm test`, `commit-batches.test.ts` stops a server under load.
if (IS_DEEP) {
  describe('a PostgreSQL that is stopped and started again', () => {
    let postgres: TestPostgres;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 180_000);
    afterAll(() => postgres.stop());

    it('a restart of PostgreSQL fails runs with STORE_FAILED or RUN_LOST; all can be finished, and no call runs twice', async () => {
      const store = postgresStore(postgres.url, { schema: 'halted' });
      await store.now();
      const effects = openEffects(join(folder, 'halted'));
      const agent = bankAgent(effects);
      const threads: string[] = [];
      const failures: string[] = [];
      /** One step of a thread; undefined when PostgreSQL failed it. */
      const step = async (
        threadId: string,
        last: GenerateResponse | undefined,
        leaseMs: number,
      ): Promise<GenerateResponse | undefined> => {
        const given = { store, threadId, leaseMs };
        try {
          if (last === undefined || last.messages.length === 0) {
            const found = await agent.generate(given);
            return found.messages.length > 0 ? found : await agent.generate({ ...given, prompt: 'go' });
          }
          const resume = last.interrupts.map((part) => answerTo(part, threadId, effects));
          return await agent.generate(resume.length === 0 ? given : { ...given, resume });
        } catch (error) {
          failures.push(codeOf(error));
          return undefined;
        }
      };
      const complete = async (threadId: string) => {
        let response: GenerateResponse | undefined;
        while (response === undefined || !isFinished(response)) {
          // Short, so that a lost run is continued soon; half of the runs outlive the stop.
          response = await step(threadId, response, Number(threadId.slice(1)) % 2 === 0 ? 300 : 2000);
          if (response === undefined || (response.interrupts.length === 0 && !isFinished(response))) {
            response = undefined;
            await new Promise((resolve) => {
              setTimeout(resolve, 50);
            });
          }
        }
      };
      const load = { isOver: false };
      /** Keeps runs under way at every moment. */
      const work = async () => {
        while (!load.isOver) {
          const threadId = `h${threads.length}`;
          threads.push(threadId);
          await complete(threadId);
        }
      };
      const workers = Promise.all(Array.from({ length: 12 }, work));
      for (let halt = 0; halt < 3; halt += 1) {
        const enough = effects.lines.length + 20;
        await until(() => effects.lines.length >= enough);
        await postgres.halt();
        // The store tries again for a while, so a quick restart fails no run. The last stop lasts until one fails.
        if (halt === 2) await until(() => failures.includes('STORE_FAILED'));
        await postgres.start();
      }
      load.isOver = true;
      await workers;
      const done = effects.lines;
      // Until the lease of a lost run ends, its thread counts as at work.
      const named = new Set(['STORE_FAILED', 'RUN_LOST', 'RUN_CONFLICT']);
      expect(failures.filter((code) => !named.has(code))).toEqual([]);
      for (const threadId of threads) {
        for (const what of ONCE) {
          const times = done.filter((effect) => effect === `${what} ${threadId}`).length;
          expect([threadId, what, times]).toEqual([threadId, what, 1]);
        }
        expect(await verifyHistory(store, keyOf(threadId))).toBeUndefined();
        const record = await readThread(store, keyOf(threadId));
        expect([record?.turn, record?.batch, record?.claimed, record?.active]).toEqual(
          Array(4).fill(undefined),
        );
      }
      await store.close();
    }, 120_000);
  });
}

describe('a process whose clock is wrong, over PostgreSQL', () => {
  const real = Date.now;
  afterEach(() => {
    Date.now = real;
  });
  const HOUR = 3_600_000;
  let store: Store;
  beforeAll(async () => {
    store = postgresStore(database, { schema: 'clocks' });
    await store.now();
  });
  afterAll(() => store.close());

  /** Runs `work` with a wrong clock. */
  const withClock = async <T>(off: number, work: () => Promise<T>): Promise<T> => {
    Date.now = () => real() + off;
    try {
      return await work();
    } finally {
      Date.now = real;
    }
  };

  describe.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
  ])('%s', (name, off) => {
    it('a process with a wrong clock does not take over a run that is alive', async () => {
      let isThere = false;
      let goOn = () => {};
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const agent = clerk(openEffects(join(folder, `lives ${name}`)), () => {
        isThere = true;
        return gate;
      });
      const given = { store, threadId: `lives ${name}` };
      const first = agent.generate({ ...given, prompt: 'go' });
      await until(() => isThere);
      await withClock(off, async () => {
        const second = agent.generate({ ...given, prompt: 'me too' });
        await expect(second).rejects.toMatchObject({ code: 'RUN_CONFLICT' });
      });
      goOn();
      expect((await first).finishReason).toBe('interrupted');
    });

    it('a process with a wrong clock takes over a lost run, and keeps its own run', async () => {
      const key = keyOf(`lost ${name}`);
      const principal = { id: 'local', scope: 'default' };
      const newMessages = [{ id: 'm', role: 'user', content: 'go' }];
      const lost = { key, runId: 'lost', agent: 'clerk', principal, entries: [], newMessages, leaseMs: 1 };
      await beginRun(store, { ...lost, via: 'in-process' });
      await until(
        async () => (await store.now()) > ((await readThread(store, key))?.active?.leaseUntil ?? 0),
      );
      const effects = openEffects(join(folder, `lost ${name}`));
      const given = { store, threadId: key.thread, leaseMs: 5000 };
      const done = await withClock(off, () => finish(clerk(effects), given, effects));
      expect(done.text).toBe('All done.');
      const history = await readHistory(store, key);
      const now = await store.now();
      for (const { at } of history) expect(Math.abs(now - at)).toBeLessThan(HOUR / 2);
    });
  });
});
