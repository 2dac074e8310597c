import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Open } from './measure-line.ts';
import { measureLine } from './measure-line.ts';
import type { Budget, CaseResult, Facts, Line } from './results.ts';

/** One thing that the bench measures. Its file is named after it. */
export interface Case {
  readonly name: string;
  readonly title: string;
  run(bench: Bench): Promise<void>;
}

export interface LineOptions extends Omit<Line, 'figures' | 'ours'> {
  readonly contenders: Readonly<Record<string, Open>>;
  /** Default: the first contender. */
  readonly ours?: string;
  readonly rounds?: number;
  /** Default: 10,000. */
  readonly limitMs?: number;
}

/** What a case uses: it measures lines, and records budgets, facts and notes. */
export interface Bench {
  /** Runs the sizes that take minutes, too. */
  readonly all: boolean;
  /** One short round, to see that it runs. */
  readonly trial: boolean;
  /** Whether `--only` names this line, or a part of it. */
  wants(line: string): boolean;
  /** Whether `--without` leaves this contender in. */
  wantsContender(name: string): boolean;
  /** Measures the contenders of a line side by side. A line that `--only` leaves out has no figures. */
  measure(line: LineOptions): Promise<Line>;
  record(line: Line): Line;
  budget(budget: Budget): void;
  facts(facts: Facts): void;
  note(words: string): void;
  progress(words: string): void;
  /** A folder that is removed after the case. */
  folder(): Promise<string>;
}

const ROUNDS = 5;
const EARLY_END = 'The case ended early';

/** Whether a note says that the rest of the case was not measured. */
export function isEarlyEnd(note: string): boolean {
  return note.startsWith(EARLY_END);
}

export interface RunOptions {
  readonly all: boolean;
  readonly trial: boolean;
  readonly only: string;
  readonly without: readonly string[];
  readonly commit: string;
  readonly say: (words: string) => void;
}

/** Runs one case. An error ends the case, and becomes a note beside the lines that were measured before it. */
export async function runCase(
  { name, title, run }: Case,
  { all, trial, only, without, commit, say }: RunOptions,
): Promise<CaseResult> {
  const start = performance.now();
  const [lines, budgets, notes, folders]: [Line[], Budget[], string[], string[]] = [[], [], [], []];
  let facts: Facts | undefined;
  // Also when the bench is stopped.
  const removeFolders = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeFolders);
  const progress = (words: string) => say(`${name}: ${words}`);
  const record = (line: Line) => {
    lines.push(line);
    return line;
  };
  const wants = (line: string) => line.startsWith(only) || only.startsWith(line);
  const wantsContender = (contender: string) => !without.includes(contender);
  try {
    await run({
      all,
      trial,
      wants,
      wantsContender,
      record,
      progress,
      async measure({ contenders, rounds = ROUNDS, limitMs = 10_000, ours, ...line }) {
        const first = ours ?? Object.keys(contenders)[0] ?? '';
        if (!wants(line.name)) return { ...line, ours: first, figures: {} };
        const present = Object.entries(contenders).filter(([contender]) => wantsContender(contender));
        const figures = await measureLine(Object.fromEntries(present), {
          rounds: trial ? 1 : rounds,
          limitMs,
          progress: (words) => progress(`${line.name}: ${words}`),
        });
        return record({ ...line, ours: first, figures });
      },
      budget: (budget) => budgets.push(budget),
      facts: (given) => {
        facts = given;
      },
      note: (words) => notes.push(words),
      async folder() {
        const folder = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'));
        folders.push(folder);
        return folder;
      },
    });
  } catch (error) {
    notes.push(`${EARLY_END}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    process.off('exit', removeFolders);
    removeFolders();
  }
  return {
    name,
    title,
    at: new Date().toISOString(),
    commit,
    seconds: Math.round((performance.now() - start) / 1000),
    lines,
    budgets,
    ...(facts === undefined ? {} : { facts }),
    notes,
  };
}
