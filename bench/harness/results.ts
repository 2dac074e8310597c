/** The figures of one contender on one line: one value for each round, or the reason why there are none. */
export type Figure = { readonly values: readonly number[] } | { readonly failed: string };

/** One line of a case: the same work, done by each contender in the same rounds. */
export interface Line {
  readonly name: string;
  readonly unit: string;
  /** Whether a larger figure is better. */
  readonly better: 'more' | 'less';
  /** The contender that the others are compared with. */
  readonly ours: string;
  /** How safe a commit is, where that matters. */
  readonly durability?: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** A limit of the design, and the figure that was found. Without a figure the budget is not judged. */
export interface Budget {
  readonly text: string;
  readonly value?: number | undefined;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The figures of the runs before this one, of the same commit; the latest first. */
  readonly earlier?: readonly number[];
}

/** A table of sentences: a row for each contender. */
export interface Facts {
  readonly columns: readonly string[];
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  /** When and at which commit the case ran, and its share of the whole time. */
  readonly at: string;
  readonly commit: string;
  readonly seconds: number;
  readonly lines: readonly Line[];
  readonly budgets: readonly Budget[];
  readonly facts?: Facts;
  readonly notes: readonly string[];
}

/** A line that a page or the picture shows, with its title there. */
export interface ShownLine {
  readonly case: string;
  readonly line: string;
  readonly title: string;
}

export interface Results {
  readonly machine: string;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly cases: readonly CaseResult[];
}

/** The middle value; of an even number the mean of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? upper) + upper) / 2;
}

/** How many times as good `one` is as `other`: the median over the rounds, in which both ran side by side. */
export function ratio(line: Line | undefined, one: string, other: string): number | undefined {
  const [ours, theirs] = [line?.figures[one], line?.figures[other]];
  if (line === undefined || ours === undefined || theirs === undefined) return undefined;
  if ('failed' in ours || 'failed' in theirs) return undefined;
  const ratios = ours.values.flatMap((value, round) => {
    const their = theirs.values[round];
    if (their === undefined) return [];
    return [line.better === 'more' ? value / their : their / value];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

/** The median of a contender on a line. */
export function middle(line: Line | undefined, contender: string): number | undefined {
  const figure = line?.figures[contender];
  return figure === undefined || 'failed' in figure ? undefined : median(figure.values);
}

/** The exponent of the power law that fits best: 0 does not grow, 1 is linear. */
export function exponent(points: readonly (readonly [size: number, value: number])[]): number {
  const logs = points.map(([size, value]) => [Math.log(size), Math.log(value)] as const);
  const mean = (of: 0 | 1) => logs.reduce((sum, point) => sum + point[of], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const slope = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return slope / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** Whether the figures of all runs are within the limit. */
export function isMet({ value, atLeast, atMost, earlier = [] }: Budget): boolean | undefined {
  if (value === undefined || Number.isNaN(value)) return undefined;
  return [value, ...earlier].every((one) => one >= (atLeast ?? -Infinity) && one <= (atMost ?? Infinity));
}

export function findLine({ cases }: Results, { case: name, line }: ShownLine): Line | undefined {
  return cases.find((one) => one.name === name)?.lines.find((one) => one.name === line);
}

const RUNS = 3;

/** Keeps the figures of the runs before, so that a budget is judged over three runs. Another commit starts again. */
export function addEarlierRuns(result: CaseResult, before: CaseResult | undefined): CaseResult {
  if (before?.commit !== result.commit) return result;
  const budgets = result.budgets.map((budget) => {
    const found = before.budgets.find(({ text }) => text === budget.text);
    if (found?.value === undefined) return budget;
    return { ...budget, earlier: [found.value, ...(found.earlier ?? [])].slice(0, RUNS - 1) };
  });
  return { ...result, budgets };
}

const NAMES: Readonly<Record<string, string>> = {
  holdpoint: 'Holdpoint',
  'holdpoint, answer in a run': 'Holdpoint, one request',
  'ai-sdk': 'AI SDK',
  langgraph: 'LangGraph',
  mastra: 'Mastra',
  genkit: 'Genkit',
  bare: 'the bare driver',
};

/** The name of a contender for readers. */
export function nameOf(contender: string): string {
  return NAMES[contender] ?? contender;
}
