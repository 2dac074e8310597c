import type { Figure } from './results.ts';

/** One contender of a line, opened in processes of its own. */
export interface Contender {
  warmUp(): Promise<unknown>;
  /** Works for a slice of time, and returns the figure of this slice. */
  slice(): Promise<number>;
  /** What came of the work. A contender whose result differs from the first one's has no figures. */
  result?(): Promise<string>;
  stop(): Promise<unknown>;
}

export type Open = () => Promise<Contender>;

export interface Rounds {
  /** Rounds of a line; at least `MINIMUM` are held. */
  readonly rounds: number;
  /** After so many milliseconds no further round begins. */
  readonly limitMs: number;
  readonly progress: (words: string) => void;
}

const MINIMUM = 3;

/**
 * Measures all contenders of a line: all are opened and warmed up, then each works for a slice of time in every round, and every
 * round begins with another contender. A contender that fails keeps the reason instead of its figures; the others go on.
 */
export async function measureLine(
  contenders: Readonly<Record<string, Open>>,
  { rounds, limitMs, progress }: Rounds,
): Promise<Record<string, Figure>> {
  const failures = new Map<string, string>();
  const opened = new Map<string, Contender>();
  const values = new Map<string, number[]>();
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    if (failures.has(name)) return;
    try {
      await work();
    } catch (error) {
      failures.set(name, reasonOf(error));
    }
  };
  const names = Object.keys(contenders);
  const inOrder = (round: number) => names.map((_, turn) => names[(round + turn) % names.length] ?? '');
  try {
    progress('starts the processes');
    const starting = Object.entries(contenders).map(async ([name, open]) => {
      await attempt(name, async () => opened.set(name, await open()));
    });
    await Promise.all(starting);
    for (const name of names) {
      progress(`warms up ${name}`);
      await attempt(name, async () => opened.get(name)?.warmUp());
    }
    const start = performance.now();
    const isDue = (round: number) =>
      round < rounds && (round < Math.min(MINIMUM, rounds) || performance.now() - start < limitMs);
    for (let round = 0; isDue(round); round += 1) {
      for (const name of inOrder(round)) {
        progress(`round ${round + 1} of ${rounds}: ${name}`);
        await attempt(name, async () => {
          const value = await opened.get(name)?.slice();
          if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
        });
      }
    }
    await compareResults(opened, attempt);
  } finally {
    for (const contender of opened.values()) await contender.stop().catch(() => undefined);
  }
  return Object.fromEntries(
    Object.keys(contenders).map((name) => {
      const failed = failures.get(name);
      return [name, failed === undefined ? { values: values.get(name) ?? [] } : { failed }];
    }),
  );
}

async function compareResults(
  opened: ReadonlyMap<string, Contender>,
  attempt: (name: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  let first: string | undefined;
  for (const [name, contender] of opened) {
    await attempt(name, async () => {
      const result = await contender.result?.();
      first ??= result;
      if (result !== first) throw new Error('Its result is not the same as ours.');
    });
  }
}

/** The first line of an error, with its cause. */
export function reasonOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${words}${cause}`.replaceAll(/\s+/g, ' ').slice(0, 300);
}
