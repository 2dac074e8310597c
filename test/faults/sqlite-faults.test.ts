import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approve } from 'holdpoint';
import type { GeneratingAgent } from 'holdpoint';
import { sqliteStore } from 'holdpoint/store/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setFaultHook } from '../../src/core/index.ts';
import {
  openInterrupts,
  readHistory,
  readThread,
  verifyHistory,
} from '../../src/ledger/testing-support/as-operator.ts';
import { openDatabaseNow } from '../../src/store/sqlite/connect.ts';
import { openEffects } from '../processes/effects.ts';
import { dumpThread } from '../processes/dump-thread.ts';
import { clerk, finish } from '../paused-process/scenario.ts';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, call, until } from '../processes/processes.ts';
import type { LockCommand } from './lock-child.ts';
import { payer } from './payer.ts';
import type { SmallDisk } from './small-disk.ts';
import { mountSmallDisk } from './small-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-faults-'));
let files = 0;
const newPath = () => join(folder, `${(files += 1)}.db`);
const newEffects = () => openEffects(join(folder, `effects ${(files += 1)}`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => setFaultHook(undefined));

const threadId = 't';
const key = { scope: 'default', thread: threadId };
const allOf = (lines: readonly string[]) =>
  lines.map((effect) => effect.replace(` ${threadId}`, '')).toSorted();
const ALL = ['charge', 'note', 'transfer'];

/** Continues a thread whose payment has no stored result: a person is asked, and says that it was made. */
async function settleDoubt(agent: GeneratingAgent, given: Parameters<GeneratingAgent['generate']>[0]) {
  let asked = await agent.generate(given);
  // A process gives up its lease shortly before the store ends it; until then the run counts as at work.
  await until(async () => asked.interrupts.length > 0 || ((asked = await agent.generate(given)), false));
  expect(asked.interrupts.map(({ kind, toolName }) => [kind, toolName])).toEqual([['recovery', 'pay']]);
  const payload = { action: 'finished', result: 'paid' };
  const resume = asked.interrupts.map(({ interrupt }) => ({
    interruptId: interrupt.id,
    status: 'resolved' as const,
    payload,
  }));
  const done = await agent.generate({ ...given, resume });
  expect(done.text).toBe('Done.');
}

describe('a SQLite file that another process has locked', () => {
  let program: Program;
  beforeAll(async () => {
    program = await bundleProgram(join(import.meta.dirname, 'lock-child.ts'));
  });
  afterAll(() => program.dispose());

  const withLocker = async (path: string, work: (locker: ChildProcess) => Promise<void>) => {
    const locker = program.start({ path });
    try {
      await work(locker);
    } finally {
      const ended = once(locker, 'exit');
      locker.send('end' satisfies LockCommand);
      await ended;
    }
  };
  const tell = (locker: ChildProcess, wish: LockCommand) => call<void>(locker, wish);
  /** Counts the ticks of a timer, which stops while the process is blocked. */
  const startTicking = () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 2);
    return {
      get count() {
        return ticks;
      },
      stop: () => clearInterval(timer),
    };
  };

  it('a SQLite file that is locked for a short time delays a run, and does not block the process', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 60_000 });
    await withLocker(path, async (locker) => {
      const effects = newEffects();
      const agent = clerk(effects);
      await tell(locker, 'lock');
      const ticks = startTicking();
      let isDone = false;
      const first = agent.generate({ store, threadId, prompt: 'go' }).finally(() => (isDone = true));
      await until(() => ticks.count >= 50);
      expect([isDone, effects.lines]).toEqual([false, []]);
      await tell(locker, 'unlock');
      const paused = await first;
      await tell(locker, 'lock');
      const resume = paused.interrupts.map(({ interrupt }) => approve(interrupt));
      const second = agent.generate({ store, threadId, resume });
      const seen = ticks.count;
      await until(() => ticks.count >= seen + 50);
      expect(allOf(effects.lines)).toEqual(['note']);
      await tell(locker, 'unlock');
      expect((await second).text).toBe('All done.');
      ticks.stop();
      expect(allOf(effects.lines)).toEqual(ALL);
    });
    await store.close();
  });

  it('a SQLite file that is locked for too long fails a run with STORE_FAILED before any call', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 30 });
    await withLocker(path, async (locker) => {
      const effects = newEffects();
      const agent = clerk(effects);
      const given = { store, threadId };
      await tell(locker, 'lock');
      await expect(agent.generate({ ...given, prompt: 'go' })).rejects.toMatchObject({
        code: 'STORE_FAILED',
      });
      await tell(locker, 'unlock');
      expect(await readThread(store, key)).toBeUndefined();
      const paused = await agent.generate({ ...given, prompt: 'go' });
      const before = await dumpThread(store, key);
      const resume = paused.interrupts.map(({ interrupt }) => approve(interrupt));
      await tell(locker, 'lock');
      await expect(agent.generate({ ...given, resume })).rejects.toMatchObject({ code: 'STORE_FAILED' });
      await tell(locker, 'unlock');
      expect(await dumpThread(store, key)).toEqual(before);
      expect(allOf(effects.lines)).toEqual(['note']);
      expect((await agent.generate({ ...given, resume })).text).toBe('All done.');
      expect(allOf(effects.lines)).toEqual(ALL);
    });
    await store.close();
  });

  it('a SQLite file that is locked during a call for longer than the lease makes a person decide, and the call does not run again', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 30 });
    await withLocker(path, async (locker) => {
      const { agent, counts } = payer(() => tell(locker, 'lock'));
      const given = { store, threadId, leaseMs: 300 };
      await expect(agent.generate({ ...given, prompt: 'go' })).rejects.toMatchObject({
        code: 'STORE_FAILED',
      });
      await tell(locker, 'unlock');
      await settleDoubt(agent, { ...given, leaseMs: 60_000 });
      expect(counts.paid).toBe(1);
    });
    await store.close();
  });

  it('a SQLite file that is locked during a call for less than the lease lets the run continue', async () => {
    const path = newPath();
    const store = sqliteStore(path, { busyTimeoutMs: 30 });
    await withLocker(path, async (locker) => {
      let failures = 0;
      const { agent, counts } = payer(async () => {
        await tell(locker, 'lock');
        // The third attempt to store the result finds the file unlocked.
        setFaultHook(async (point) => {
          if (point.endsWith('before-commit') && (failures += 1) === 3) await tell(locker, 'unlock');
        });
      });
      const done = await agent.generate({ store, threadId, leaseMs: 60_000, prompt: 'go' });
      expect([done.text, counts.paid, failures >= 3]).toEqual(['Done.', 1, true]);
    });
    await store.close();
  });
});

const disk = mountSmallDisk();
if (disk === undefined) {
  console.error(
    '\n*** test/faults: THE TESTS OF A FULL DISK DID NOT RUN: this process may not mount a tmpfs (needs root). ***\n',
  );
}
disk?.remove();

describe.skipIf(disk === undefined)('a full disk', () => {
  // One for each test: the driver releases a closed file later, which frees room for a few commits.
  let small: SmallDisk;
  beforeEach(() => {
    small = mountSmallDisk() as SmallDisk;
  });
  afterEach(() => small.remove());
  const openOn = (name: string) => sqliteStore(join(small.folder, name));

  it('a full disk fails a run with STORE_FAILED before any call, and the run continues when there is room', async () => {
    const store = openOn('begin.db');
    const effects = newEffects();
    const agent = clerk(effects);
    const given = { store, threadId };
    small.fill();
    const full = { code: 'STORE_FAILED', message: expect.stringContaining('the disk is full') };
    await expect(agent.generate({ ...given, prompt: 'go' })).rejects.toMatchObject(full);
    small.free();
    expect(await readThread(store, key)).toBeUndefined();
    const paused = await agent.generate({ ...given, prompt: 'go' });
    const before = await dumpThread(store, key);
    const resume = paused.interrupts.map(({ interrupt }) => approve(interrupt));
    small.fill();
    await expect(agent.generate({ ...given, resume })).rejects.toMatchObject(full);
    // Stored rows can still be read.
    expect(await openInterrupts(store, key)).toHaveLength(1);
    small.free();
    expect(await dumpThread(store, key)).toEqual(before);
    expect((await agent.generate({ ...given, resume })).text).toBe('All done.');
    expect(allOf(effects.lines)).toEqual(ALL);
    expect(await verifyHistory(store, key)).toBeUndefined();
    await store.close();
  });

  it('a full disk during a call makes a person decide, and the call does not run again', async () => {
    const store = openOn('middle.db');
    const { agent, counts } = payer(() => small.fill());
    const given = { store, threadId, leaseMs: 300 };
    await expect(agent.generate({ ...given, prompt: 'go' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    small.free();
    await settleDoubt(agent, { ...given, leaseMs: 60_000 });
    expect(counts.paid).toBe(1);
    expect(await verifyHistory(store, key)).toBeUndefined();
    await store.close();
  });

  it('a full disk for less than the lease lets the run continue', async () => {
    const store = openOn('short.db');
    let attempts = 0;
    const { agent, counts } = payer(() => {
      small.fill();
      setFaultHook((point) => {
        if (point.endsWith('before-commit') && (attempts += 1) === 3) small.free();
      });
    });
    const done = await agent.generate({ store, threadId, leaseMs: 60_000, prompt: 'go' });
    expect([done.text, counts.paid, attempts >= 3]).toEqual(['Done.', 1, true]);
    await store.close();
  });
});

describe('an unusable SQLite file', () => {
  /** A waiting thread in a closed file. */
  const waiting = async (path: string) => {
    const store = sqliteStore(path);
    const paused = await clerk(newEffects()).generate({ store, threadId, prompt: 'go' });
    await store.close();
    return paused.interrupts.map(({ interrupt }) => approve(interrupt));
  };
  const attempt = async (path: string, what: object) => {
    const store = sqliteStore(path);
    const effects = newEffects();
    const failure: unknown = await clerk(effects)
      .generate({ store, threadId, leaseMs: 100, ...what })
      .catch((error: unknown) => error);
    await store.close();
    return { failure, done: effects.lines };
  };

  it('a read-only SQLite file fails an answer with STORE_FAILED, and the interrupt stays open', async () => {
    const written = newPath();
    const resume = await waiting(written);
    // A process that may mount a disk may also write to any file.
    const own = mountSmallDisk();
    const path = join(own?.folder ?? folder, 'read-only.db');
    copyFileSync(written, path);
    if (own === undefined) chmodSync(path, 0o444);
    else own.makeReadOnly();
    const { failure, done } = await attempt(path, { resume });
    expect(failure).toMatchObject({ code: 'STORE_FAILED' });
    expect(done).toEqual([]);
    own?.remove();
  });

  it('a SQLite file with a damaged page fails an answer with STORE_FAILED, and the process lives on', async () => {
    const path = newPath();
    const resume = await waiting(path);
    const size = statSync(path).size;
    const outcomes: unknown[] = [];
    const PAGE = 2048;
    // Every page but the first, which names the kind of file, and the last, which has the end of a long text: libsql ends the process
    // for text that is not UTF-8.
    for (let page = 1; (page + 1) * PAGE < size; page += 1) {
      const copy = newPath();
      copyFileSync(path, copy);
      const file = openSync(copy, 'r+');
      writeSync(file, Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE);
      closeSync(file);
      const { failure, done } = await attempt(copy, { resume });
      const { code, finishReason } = failure as { code?: string; finishReason?: string };
      outcomes.push(code ?? finishReason);
      if (code !== undefined) expect(done.length).toBeLessThanOrEqual(2);
    }
    // A run is lost if its thread becomes unreadable between two of its writes.
    const seen = new Set(outcomes.map((outcome) => (outcome === 'RUN_LOST' ? 'STORE_FAILED' : outcome)));
    expect(seen).toEqual(new Set(['STORE_FAILED', 'stop']));
  });

  it('a SQLite file of a later release is refused and not changed', async () => {
    const path = newPath();
    const resume = await waiting(path);
    const { connection } = openDatabaseNow(path);
    connection.exec('UPDATE holdpoint_schema SET version = version + 1');
    connection.close();
    const { failure, done } = await attempt(path, { resume });
    expect(failure).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('update holdpoint'),
    });
    expect(done).toEqual([]);
  });
});

describe('a SQLite clock that jumps', () => {
  const HOUR = 3_600_000;
  const setUp = () => {
    const time = { off: 0 };
    const path = newPath();
    const open = () => sqliteStore(path, { clock: { now: () => Date.now() + time.off } });
    return { time, open, store: open() };
  };
  /** A thread whose run is in a model call. */
  const inModel = async (leaseMs: number) => {
    const effects = newEffects();
    const { time, open, store } = setUp();
    let isThere = false;
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const agent = clerk(effects, () => {
      isThere = true;
      return gate;
    });
    const first = agent.generate({ store, threadId, leaseMs, prompt: 'go' });
    const outcome = first.then(
      ({ finishReason }) => finishReason,
      (error: { code?: string }) => error.code,
    );
    await until(() => isThere);
    return { effects, time, open, store, goOn: () => goOn(), outcome };
  };

  it('a clock that jumps forward past a lease lets another process take the thread, and the first run writes nothing more', async () => {
    const { effects, time, open, store, goOn, outcome } = await inModel(60_000);
    time.off = HOUR;
    const other = open();
    const given = { store: other, threadId, leaseMs: 60_000 };
    await finish(clerk(effects), given, effects);
    const before = await dumpThread(other, key);
    goOn();
    expect(await outcome).toBe('RUN_LOST');
    expect(await dumpThread(other, key)).toEqual(before);
    // By its own clock the lease was not over, so the idempotent call ran again, and no other.
    expect(new Set(allOf(effects.lines))).toEqual(new Set(ALL));
    expect(allOf(effects.lines).filter((effect) => effect !== 'note')).toEqual(['charge', 'transfer']);
    await Promise.all([store.close(), other.close()]);
  });

  it('a clock that jumps forward does not take the thread from a run that renews its lease after the jump', async () => {
    const { time, open, store, goOn, outcome } = await inModel(600);
    time.off = HOUR;
    const other = open();
    await until(async () => ((await readThread(other, key))?.active?.leaseUntil ?? 0) > (await other.now()));
    await expect(
      clerk(newEffects()).generate({ store: other, threadId, prompt: 'me too' }),
    ).rejects.toMatchObject({ code: 'RUN_CONFLICT' });
    goOn();
    expect(await outcome).toBe('interrupted');
    await Promise.all([store.close(), other.close()]);
  });

  it('a clock that jumps back stands still: a run keeps its thread, and its history keeps its order', async () => {
    const { effects, time, store, goOn, outcome } = await inModel(60_000);
    time.off = -HOUR;
    const second = clerk(effects).generate({ store, threadId, prompt: 'me too' });
    await expect(second).rejects.toMatchObject({ code: 'RUN_CONFLICT' });
    goOn();
    expect(await outcome).toBe('interrupted');
    await finish(clerk(effects), { store, threadId, leaseMs: 60_000 }, effects);
    const times = (await readHistory(store, key)).map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(HOUR / 2);
    expect(await verifyHistory(store, key)).toBeUndefined();
    expect(allOf(effects.lines)).toEqual(ALL);
    await store.close();
  });
});
