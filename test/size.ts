/**
 * How much the tests do, and by which seed. `npm test` is small and does the same every time. `npm run test:deep` sets
 * both variables, and prints them with the command that repeats the run.
 */

/** 1 in `npm test`; larger in `npm run test:deep`. */
export const SIZE: number = Number(process.env['TEST_SIZE'] ?? 1);
export const SEED: number = Number(process.env['TEST_SEED'] ?? 20_261_115);
/** True where the tests run that are too slow for every day. */
export const IS_DEEP: boolean = SIZE > 1;

/** How often to do something that `npm test` does `count` times. */
export function runs(count: number): number {
  return Math.ceil(count * SIZE);
}

/** Draws numbers from 0 up to 1; the same ones for the same name and seed. */
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

/** Prints how far a long test is, every ten seconds of a deep run. */
export function showProgress(what: string, done: number, all: number): void {
  if (!IS_DEEP || Date.now() - shownAt < PROGRESS_EVERY_MS) return;
  shownAt = Date.now();
  process.stdout.write(`${what}: ${done} of ${all}\n`);
}
