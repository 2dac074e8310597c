// Runs every folder under integration/ with the packages of its own lock file: the real frameworks, unmodified. Prints what
// each framework can do, and fails where docs/adapters.md says something else; --write writes the table into the page.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../integration');
const page = resolve(import.meta.dirname, '../docs/adapters.md');
const only = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'package.json')))
  .map(({ name }) => name)
  .filter((name) => only.length === 0 || only.includes(name));

if (names.length === 0) {
  console.error('No integration folder was found.');
  process.exit(1);
}

const failed = [];
const results = [];
for (const name of names) {
  const started = Date.now();
  console.log(`\n== integration/${name}`);
  const cwd = resolve(root, name);
  const file = join(cwd, 'node_modules/.scenarios.json');
  rmSync(file, { force: true });
  const ok = [['ci', '--no-audit', '--no-fund'], ['test']].every(
    (args) => spawnSync('npm', args, { cwd, stdio: 'inherit' }).status === 0,
  );
  if (!ok) failed.push(name);
  if (existsSync(file)) results.push(...JSON.parse(readFileSync(file, 'utf8')));
  console.log(`${name}: ${Math.round((Date.now() - started) / 1000)} s`);
}

const table = toTable(results);
console.log(`\n${table}`);
if (only.length === 0) checkPage();
console.log(`\n${names.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) process.exit(1);

/** One row for each framework, one column for each scenario; reasons are notes below. */
function toTable(subjects) {
  const scenarios = [...new Map(subjects.flatMap(({ cells }) => cells.map(({ id, title }) => [id, title])))];
  const notes = [];
  const noteOf = (reason) => {
    if (!notes.includes(reason)) notes.push(reason);
    return `no ${notes.indexOf(reason) + 1})`;
  };
  const cellOf = (cell) => {
    if (cell === undefined) return '';
    return cell.cannot === undefined ? cell.result : noteOf(cell.cannot);
  };
  const header = ['', ...subjects.map(({ title }) => title)];
  const rows = [
    header,
    header.map(() => '---'),
    ['package', ...subjects.map(({ version }) => version)],
    ['Node', ...subjects.map(({ node }) => node)],
    ...scenarios.map(([id, title]) => [
      title,
      ...subjects.map(({ cells }) => cellOf(cells.find((cell) => cell.id === id))),
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => {
    const padded = row.map((cell, column) => cell.padEnd(widths[column], cell === '---' ? '-' : ' '));
    return `| ${padded.join(' | ')} |`;
  });
  return [...lines, '', ...notes.map((note, index) => `${index + 1}) ${note}`)].join('\n');
}

function checkPage() {
  const [begin, end] = ['<!-- written by npm run test:integration -- --write -->', '<!-- end -->'];
  const text = readFileSync(page, 'utf8');
  const place = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  const next = `${text.slice(0, place[0])}\n\n${table}\n\n${text.slice(place[1])}`;
  if (next === text) return;
  if (process.argv.includes('--write')) {
    writeFileSync(page, next);
    return;
  }
  console.error(
    'docs/adapters.md has another table: run npm run test:integration -- --write and look at it.',
  );
  failed.push('docs/adapters.md');
}
