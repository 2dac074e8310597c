import type { Measured } from './measure.ts';

const HEADINGS = ['name', 'ours', 'theirs', 'ratio', 'budget', ''];

/** The lines of the table, each as soon as it is known; `names` are those of all lines to come. */
export function createTable(names: readonly string[]): {
  heading(): string;
  row(measured: Measured): string;
} {
  const nameWidth = Math.max(...names.map(({ length }) => length));
  const line = ([name = '', ...cells]: readonly string[]) =>
    [name.padEnd(nameWidth), ...cells.map((cell) => cell.padStart(9))].join(' ').trimEnd();
  return {
    heading: () => line(HEADINGS),
    row: ({ name, ours, theirs, ratio, budget, met }) =>
      line([
        name,
        duration(ours),
        theirs === undefined ? '–' : duration(theirs),
        ratio === undefined ? '–' : times(ratio),
        budget === undefined ? '–' : `≥ ${times(budget)}`,
        budget === undefined ? '' : met ? 'ok' : 'MISSED',
      ]),
  };
}

function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} ×`;
}

function duration(milliseconds: number): string {
  if (milliseconds < 0.001) return `${(milliseconds * 1e6).toFixed(0)} ns`;
  if (milliseconds < 1) return `${(milliseconds * 1e3).toPrecision(3)} µs`;
  if (milliseconds < 1_000) return `${milliseconds.toPrecision(3)} ms`;
  return `${(milliseconds / 1e3).toPrecision(3)} s`;
}
