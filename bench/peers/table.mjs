import { median } from './measure.mjs';

/** The first line: who is measured. */
export function heading(names) {
  return line(['earlier turns', ...names]);
}

/** The time of one cycle of each with so many earlier turns. */
export function row(turns, times) {
  return line([String(turns), ...[...times.values()].map((list) => micro(median(list) * 1_000))]);
}

/** What the history costs, and the budgets. */
export function summary(growth, budgets) {
  return [
    line(['growth', ...growth.map(({ ratio }) => `${ratio.toFixed(1)} ×`)]),
    line(['a message', ...growth.map(({ microsecondsPerMessage }) => micro(microsecondsPerMessage))]),
    '',
    ...budgets.map(({ budget, value, atLeast, atMost, met }) => {
      const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast.toFixed(1)} ×`;
      return `${budget.padEnd(46)} ${value.toFixed(2).padStart(6)}  ${limit.padEnd(8)} ${met ? 'ok' : 'MISSED'}`;
    }),
  ].join('\n');
}

function line([first, ...cells]) {
  return [first.padEnd(13), ...cells.map((cell) => cell.padStart(17))].join(' ');
}

function micro(value) {
  return `${value.toFixed(value < 10 ? 2 : 0)} µs`;
}
