import { collectGarbage } from '../measure.mjs';
import { MESSAGES_PER_TURN } from '../scenario.mjs';
import { runCycle } from './run-cycle.mjs';
import { threadsOf } from './threads.mjs';

/** Milliseconds: before the first round, before each slice, and of a slice; no round begins after the limit. */
const WARM_UP = 500;
const LEAD_IN = 50;
const SLICE = 200;
const LIMIT = 8_000;
const ROUNDS = 7;

/**
 * The cycles per second of each contender in one situation, one number for each round. All run in turn, a slice of time
 * each, and every round begins with another one. Throws when a cycle does not do what it has to.
 */
export async function measure(contenders, { turns, inFlight }) {
  const rates = new Map(contenders.map(({ name }) => [name, []]));
  const runners = contenders.map((contender) => {
    const threads = threadsOf(contender, turns);
    const run = inFlight === 1 ? oneByOne : sideBySide;
    return { contender, run: (milliseconds) => run({ contender, threads, inFlight, milliseconds }) };
  });
  for (const { contender, run } of runners) {
    await run(WARM_UP);
    assertWholeThread(contender, turns);
  }
  const start = performance.now();
  for (let round = 0; round < ROUNDS && performance.now() - start < LIMIT; round += 1) {
    for (let turn = 0; turn < runners.length; turn += 1) {
      const { contender, run } = runners[(round + turn) % runners.length];
      collectGarbage();
      // Side by side there are many cycles in a slice, and those that throw optimised code away are few among them.
      if (inFlight === 1) await run(LEAD_IN);
      rates.get(contender.name).push(await run(SLICE));
    }
  }
  return rates;
}

/** To make a thread with earlier turns does not count. */
async function oneByOne({ contender, threads, milliseconds }) {
  let cycles = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    const thread = await threads.next();
    const start = performance.now();
    await runCycle(contender, thread);
    elapsed += performance.now() - start;
    cycles += 1;
  }
  return (cycles * 1_000) / elapsed;
}

async function sideBySide({ contender, threads, inFlight, milliseconds }) {
  const start = performance.now();
  let cycles = 0;
  const lane = async () => {
    do {
      await runCycle(contender, threads.next());
      cycles += 1;
    } while (performance.now() - start < milliseconds);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (cycles * 1_000) / (performance.now() - start);
}

/** Whoever gives the model less than the thread has less to do. */
function assertWholeThread({ name, work }, turns) {
  const expected = turns * MESSAGES_PER_TURN;
  if (work.seen < expected) {
    throw new Error(`${name}: the model got ${work.seen} messages of a thread of ${expected}.`);
  }
}
