import { median } from '../measure.mjs';
import { ratio } from './judge.mjs';

/** What each contender writes in one cycle, on a fresh thread and on one of 500 turns. */
export function footprintTable(footprints) {
  const lines = [...footprints].flatMap(([name, { fresh, long }]) => [
    footprintLine(name, fresh),
    ...(long === undefined ? [] : [footprintLine('  500 turns', long)]),
  ]);
  return [row(['written in a cycle', 'commits', 'rows', 'bytes', 'WAL bytes']), ...lines].join('\n');
}

/** Who is measured. */
export function heading(names) {
  return row(['cycles per second', ...names]);
}

/** The cycles per second of each in one situation, and what that is to ours: above 1, we are faster. */
export function rateLines(situation, rates, names) {
  const cells = names.map((name) => (rates.has(name) ? number(median(rates.get(name))) : '–'));
  const ratios = names.map((name) => {
    const value = name === 'holdpoint' ? undefined : ratio(rates, 'holdpoint', name);
    return value === undefined ? '' : `${value.toFixed(2)} ×`;
  });
  const lines = [row([situation, ...cells])];
  if (rates.has('holdpoint')) lines.push(row(['  holdpoint is', ...ratios]));
  return lines.join('\n');
}

export function budgetTable(budgets) {
  return budgets
    .map(({ budget, value, atLeast, atMost, met, bare }) => {
      const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast} ×`;
      const verdict = met === undefined ? 'NOT JUDGED' : met ? 'ok' : 'MISSED';
      const shown = value === undefined ? '–' : value.toFixed(2);
      const most = bare === undefined ? '' : ` (the bare driver: ${bare.toFixed(2)})`;
      return `${budget.padEnd(46)} ${shown.padStart(7)}  ${limit.padEnd(8)} ${verdict}${most}`;
    })
    .join('\n');
}

function footprintLine(name, { commits, rows, bytes, walBytes }) {
  return row([name, commits.toFixed(1), rows.toFixed(1), number(bytes), number(walBytes)]);
}

function number(value) {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function row([first, ...cells]) {
  return [first.padEnd(20), ...cells.map((cell) => cell.padStart(12))].join(' ');
}
