/** The load: cycles of one contender, one after the other or many at once, a slice of time whenever the bench asks for it. */
import { randomUUID } from 'node:crypto';
import { FINAL_TEXT, MESSAGES_PER_TURN, promptFor } from './scenario.mjs';

/** Milliseconds: before each slice, and of a slice. */
const LEAD_IN = 50;
const SLICE = 300;

/** Lanes of a lead-in at most: each makes a whole cycle, which takes seconds if a slow contender has 64 of them. */
const LEAD_IN_LANES = 8;

/** Cycles that the first slice needs before it, however long they take. */
const WARM_UP_CYCLES = 5;

/** Cycles that a thread takes before another is used: a tenth of its earlier turns, so that its length stays what it was. */
const SHARE = 0.1;

let accounts = 100_000;

/**
 * One cycle on a thread: interrupt, then answer as if in another request. Only the interrupt, as JSON, goes from one to the other. Throws
 * unless the final text came back and, where the tool runs in this process, it waited and ran exactly once.
 */
export async function runCycle({ name, work, ask, answer }, thread) {
  accounts += 1;
  const account = `ABC${accounts}`;
  const interrupt = JSON.parse(JSON.stringify(await ask(thread, promptFor(account))));
  if (work !== undefined && work.timesFor(account) !== 0) {
    throw new Error(`${name}: the tool ran before the approval.`);
  }
  const text = await answer(thread, interrupt);
  const times = work?.timesFor(account) ?? 1;
  if (times !== 1 || text !== FINAL_TEXT) {
    throw new Error(`${name}: the tool ran ${times} times for one approval, and the text was "${text}".`);
  }
  work?.forget(account);
}

/** The thread of the next cycle: always a fresh one, or one with so many earlier turns, for as many cycles as that. */
export function threadsOf({ seed }, turns, cycles = Math.max(1, turns * SHARE)) {
  if (turns === 0) return { next: randomUUID };
  let left = 0;
  let thread;
  return {
    async next() {
      if (left < 1) {
        thread = randomUUID();
        await seed(thread, turns);
        left = cycles;
      }
      left -= 1;
      return thread;
    },
  };
}

/** Runs cycles of a contender. Throws when a cycle does not do what it has to. */
export function createLoad(contender, { turns = 0, inFlight = 1, warmUp = 1_000, slice = SLICE }) {
  const threads = threadsOf(contender, turns);
  // The thread of a warm-up may grow to twice its length: to make many would take longer than the warm-up.
  const warmUpThreads = threadsOf(contender, turns, turns);
  const runFor = (milliseconds, given) => {
    const all = { contender, threads, inFlight, milliseconds, least: 1, ...given };
    return all.inFlight === 1 ? oneByOne(all) : sideBySide(all);
  };
  return {
    async warmUp() {
      await runFor(0, { inFlight: 1 });
      assertWholeThread(contender, turns);
      await runFor(warmUp, { threads: warmUpThreads, least: WARM_UP_CYCLES });
    },
    /**
     * The cycles per second. After a wait the first ones are slower. No collection is forced before them: all garbage
     * is the contender's own, and a forced collection throws optimised code away.
     */
    async slice() {
      await runFor(LEAD_IN, { inFlight: Math.min(inFlight, LEAD_IN_LANES) });
      return runFor(slice);
    },
  };
}

/** To make a thread with earlier turns does not count. */
async function oneByOne({ contender, threads, milliseconds, least }) {
  let cycles = 0;
  let elapsed = 0;
  while (elapsed < milliseconds || cycles < least) {
    const thread = await threads.next();
    const start = performance.now();
    await runCycle(contender, thread);
    elapsed += performance.now() - start;
    cycles += 1;
  }
  return (cycles * 1_000) / elapsed;
}

async function sideBySide({ contender, threads, inFlight, milliseconds, least }) {
  const start = performance.now();
  let cycles = 0;
  const lane = async () => {
    do {
      await runCycle(contender, await threads.next());
      cycles += 1;
    } while (performance.now() - start < milliseconds || cycles < least);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (cycles * 1_000) / (performance.now() - start);
}

/** Throws if the model got fewer messages than the thread has, because that contender would do less work. */
function assertWholeThread({ name, work }, turns) {
  const expected = turns * MESSAGES_PER_TURN;
  if (work !== undefined && work.seen < expected) {
    throw new Error(`${name}: the model got ${work.seen} messages of a thread of ${expected}.`);
  }
}
