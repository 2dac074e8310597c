import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Does the whole work once and gives back what came of it. The clock runs from the call on; `restartClock`
 * begins it anew, for work that has to prepare something which is not measured.
 */
export type Run = (restartClock: () => void) => unknown;

/** One line of the table: ours, and what it is compared with. */
export interface Contest {
  readonly name: string;
  /** At most; a contest that has taken eight seconds begins no further round. */
  readonly rounds: number;
  /** How many times as fast as theirs ours has to be. Without one the line is for information. */
  readonly budget?: number;
  /** Makes the inputs; called only when the contest is held. */
  readonly prepare: () => Contestants;
}

export interface Contestants {
  /** What one run is divided by, so that the table says the time of one event. */
  readonly events: number;
  readonly ours: Run;
  readonly theirs?: Run;
  /** What to warm up with instead: shorter runs, or such that have more to compare. */
  readonly warmUp?: { readonly ours: Run; readonly theirs: Run };
}

/** The medians over the rounds, in milliseconds for one event. */
export interface Measured {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number | undefined;
  readonly ratio: number | undefined;
  readonly budget: number | undefined;
  readonly rounds: number;
  readonly met: boolean;
}

const LONGEST = 8_000;

/**
 * Measures a contest: a warm-up, then ours and theirs in turn, so that whatever else the machine does falls
 * on both. Throws when the two do not come to the same result, in the warm-up or in any round.
 */
export async function measure({ name, rounds, budget, prepare }: Contest): Promise<Measured> {
  const { events, ours, theirs, warmUp } = prepare();
  await holdRound(name, warmUp?.ours ?? ours, warmUp === undefined ? theirs : warmUp.theirs);
  const held: Round[] = [];
  const enough = performance.now() + LONGEST;
  do held.push(await holdRound(name, ours, theirs));
  while (held.length < rounds && performance.now() < enough);
  const ourTime = median(held.map((round) => round.ours)) / events;
  const theirTime =
    theirs === undefined ? undefined : median(held.flatMap((round) => round.theirs ?? [])) / events;
  const ratio = theirTime === undefined ? undefined : theirTime / ourTime;
  const met = budget === undefined || ratio === undefined || ratio >= budget;
  return { name, ours: ourTime, theirs: theirTime, ratio, budget, rounds: held.length, met };
}

interface Round {
  readonly ours: number;
  readonly theirs: number | undefined;
}

async function holdRound(name: string, ours: Run, theirs: Run | undefined): Promise<Round> {
  const our = await time(ours);
  if (theirs === undefined) return { ours: our.milliseconds, theirs: undefined };
  const their = await time(theirs);
  if (!isDeepStrictEqual(our.result, their.result)) {
    throw new Error(`${name}: ours and theirs have different results`);
  }
  return { ours: our.milliseconds, theirs: their.milliseconds };
}

async function time(run: Run): Promise<{ readonly milliseconds: number; readonly result: unknown }> {
  collectGarbage();
  let start = performance.now();
  const result = await run(() => {
    start = performance.now();
  });
  return { milliseconds: performance.now() - start, result };
}

/** Collects garbage first, so that no contestant pays for the garbage of the other. */
const collectGarbage = exposedCollector();

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => collect() : () => undefined;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? upper) + upper) / 2 : upper;
}
