/** Size and seed of the tests. `npm test` uses size 1 and a fixed seed; `npm run test:deep` sets both and prints them. */

/** 1 in `npm test`; larger in `npm run test:deep`. */
export const SIZE: number = Number(process.env['TEST_SIZE'] ?? 1);
export const SEED: number = Number(process.env['TEST_SEED'] ?? 20_261_115);
/** Whether the tests run that are too slow for `npm test`. */
export const IS_DEEP: boolean = SIZE > 1;

/** The number of repetitions for a test that repeats `count` times in `npm test`. */
export function runs(count: number): number {
  return Math.ceil(count * SIZE);
}

/** A generator of numbers from 0 (inclusive) to 1 (exclusive), determined by name and seed. */
export function createRandom(name: string): () => number {
  let state = SEED;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01_00_01_93);
  // mulberry32
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PROGRESS_EVERY_MS = 10_000;
let shownAt = Date.now();

/** Prints the progress of a long test every ten seconds, in deep runs only. */
export function showProgress(what: string, done: number, all: number): void {
  if (!IS_DEEP || Date.now() - shownAt < PROGRESS_EVERY_MS) return;
  shownAt = Date.now();
  process.stdout.write(`${what}: ${done} of ${all}\n`);
}
