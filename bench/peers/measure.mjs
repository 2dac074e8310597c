import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FINAL_TEXT } from './scenario.mjs';

/** Milliseconds: before the first round, before each slice, and of a slice. */
const WARM_UP = 1_200;
const LEAD_IN = 60;
const SLICE = 120;
const ROUNDS = 15;

/**
 * The milliseconds of one cycle of each contender, one number for each round. All run in turn, a slice of time each,
 * and every round begins with another one, so that whatever else the machine does falls on all. Throws when a cycle
 * does not end with the final text, or when the tool did not run exactly once in it.
 */
export async function measure(contenders) {
  const times = new Map(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await runFor(contender, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(round + turn) % contenders.length];
      // The garbage of one is not to be collected on the time of another. A collection also throws optimised
      // code away, which comes back in the lead-in.
      collectGarbage();
      await runFor(contender, LEAD_IN);
      times.get(contender.name).push(await runFor(contender, SLICE));
    }
  }
  return times;
}

async function runFor({ name, work, cycle }, milliseconds) {
  const start = performance.now();
  let cycles = 0;
  let elapsed;
  do {
    const before = work.done;
    const text = await cycle();
    if (text !== FINAL_TEXT || work.done !== before + 1) {
      throw new Error(`${name}: the tool ran ${work.done - before} times, and the text was "${text}".`);
    }
    cycles += 1;
    elapsed = performance.now() - start;
  } while (elapsed < milliseconds);
  return elapsed / cycles;
}

/** The middle one; of an even number, the upper of the two. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function exposedCollector() {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

const collectGarbage = exposedCollector();
