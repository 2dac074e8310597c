/** No round begins after so many milliseconds. */
const LIMIT = 10_000;

/**
 * The cycles per second of each contender in one situation, one number for each round. One works at a time, a slice of
 * time each, and every round begins with another one, so that whatever else the machine does falls on all.
 */
export async function measure(contenders, rounds) {
  const rates = new Map(contenders.map(({ name }) => [name, []]));
  for (const { warmUp } of contenders) await warmUp();
  const start = performance.now();
  for (let round = 0; round < rounds && performance.now() - start < LIMIT; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const { name, slice } = contenders[(round + turn) % contenders.length];
      rates.get(name).push(await slice());
    }
  }
  return rates;
}
