import { MESSAGES_PER_TURN } from '../scenario.mjs';
import { runCycle } from './run-cycle.mjs';
import { threadsOf } from './threads.mjs';

/** Milliseconds: before each slice, and of a slice. */
const LEAD_IN = 50;
const SLICE = 300;

/** Cycles that the first slice needs before it, however long they take. */
const WARM_UP_CYCLES = 5;

/** Runs cycles of a contender, a slice of time whenever it is asked to. Throws when a cycle does not do what it has to. */
export function createRunner(contender, { turns, inFlight, warmUp }) {
  const threads = threadsOf(contender, turns);
  // The thread of a warm-up may grow to twice its length: to make many would take longer than the warm-up.
  const warmUpThreads = threadsOf(contender, turns, turns);
  const run = inFlight === 1 ? oneByOne : sideBySide;
  const runFor = (milliseconds, given) =>
    run({ contender, threads, inFlight, milliseconds, least: 1, ...given });
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
      await runFor(LEAD_IN);
      return runFor(SLICE);
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
      await runCycle(contender, threads.next());
      cycles += 1;
    } while (performance.now() - start < milliseconds || cycles < least);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (cycles * 1_000) / (performance.now() - start);
}

/** Throws if the model got fewer messages than the thread has, because that contender would do less work. */
function assertWholeThread({ name, work }, turns) {
  const expected = turns * MESSAGES_PER_TURN;
  if (work.seen < expected) {
    throw new Error(`${name}: the model got ${work.seen} messages of a thread of ${expected}.`);
  }
}
