import type { Budget, CaseResult, Line, Results, ShownLine } from './results.ts';
import { findLine, isMet, median, nameOf, ratio } from './results.ts';

/** The whole page: the lines of each case, then the budgets. */
export function writePage(results: Results): string {
  const { machine, node, versions, cases } = results;
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Results',
    `\`npm run bench\` wrote this page. [How to read it](README.md).`,
    `${machine}. Node ${node}. ${packages.join(', ')}.`,
    ...cases.map(writeCase),
    '## Budgets',
    writeBudgets(results.cases),
    '',
  ].join('\n\n');
}

/** One case with all its lines. */
export function writeCase({ name, title, at, commit, seconds, lines, facts, notes }: CaseResult): string {
  const parts = [
    `## ${name}: ${title}`,
    `${at.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${seconds} s.`,
  ];
  if (lines.length > 0) {
    parts.push(table(['line', 'contender', 'median', 'spread', 'ours is'], lines.flatMap(lineRows)));
  }
  if (facts !== undefined) {
    const rows = Object.entries(facts.rows).map(([contender, cells]) => [contender, ...cells]);
    parts.push(table(['', ...facts.columns], rows));
  }
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note}`).join('\n'));
  return parts.join('\n\n');
}

/** Every budget of the cases, with its verdict. A budget holds if the figures of all runs are within the limit. */
export function writeBudgets(cases: readonly CaseResult[]): string {
  const rows = cases.flatMap(({ name, budgets }) => budgets.map((budget) => [name, ...budgetCells(budget)]));
  return table(['case', 'budget', 'wanted', 'measured', 'in the runs before', ''], rows);
}

/** For each line, how many times as good Holdpoint is as each contender. Contenders without figures are left out. */
export function writeRatios(results: Results, shown: readonly ShownLine[]): string {
  const rows = shown.map((one) => {
    const line = findLine(results, one);
    const ratios = Object.keys(line?.figures ?? {}).flatMap((contender) => {
      if (line === undefined || contender.startsWith('holdpoint')) return [];
      const value = ratio(line, line.ours, contender);
      return value === undefined ? [] : [`${number(value)} × ${nameOf(contender)}`];
    });
    return [one.title, ratios.length === 0 ? 'not measured' : ratios.join(', ')];
  });
  return table(['the same work, side by side', 'speed of Holdpoint'], rows);
}

function lineRows(line: Line): string[][] {
  const { name, unit, durability, ours, figures } = line;
  const title = `${name}${durability === undefined ? '' : `, ${durability}`} (${unit})`;
  return Object.entries(figures).map(([contender, figure], index) => {
    const first = index === 0 ? title : '';
    if ('failed' in figure) return [first, contender, 'not measured', figure.failed, ''];
    if (figure.values.length === 0) return [first, contender, 'not measured', '', ''];
    const value = contender === ours ? undefined : ratio(line, ours, contender);
    return [
      first,
      contender,
      number(median(figure.values)),
      `${number(Math.min(...figure.values))} to ${number(Math.max(...figure.values))}`,
      value === undefined ? '' : `${number(value)} ×`,
    ];
  });
}

function budgetCells(budget: Budget): string[] {
  const { text, value, unit, atLeast, atMost, earlier = [] } = budget;
  const limit = atLeast === undefined ? `≤ ${number(atMost ?? 0)}` : `≥ ${number(atLeast)}`;
  const met = isMet(budget);
  return [
    text,
    `${limit} ${unit}`,
    met === undefined ? '–' : `${number(value ?? 0)} ${unit}`,
    earlier.map(number).join(', '),
    met === undefined ? 'not measured' : met ? 'holds' : '**missed**',
  ];
}

/** Three digits, and a comma between the thousands. */
export function number(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en');
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toPrecision(2);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) =>
    row.map((cell) => cell.replaceAll('|', '/').replaceAll('<', '&lt;').replaceAll('{{', '{ {')),
  );
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...safe.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...safe.map((row) => line(row)),
  ].join('\n');
}
