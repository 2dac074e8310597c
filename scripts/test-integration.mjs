// Runs every folder under integration/ with the packages of its own lock file: the real frameworks, unmodified. Prints what
// each framework can do, and fails where docs/adapters.md says something else; --write writes the table into the page.
import { spawn } from 'node:child_process';
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

/** Runs npm in a folder; says whether it succeeded, and what it printed where that is not shown at once. */
function npm(args, cwd, stdio) {
  return new Promise((done) => {
    let output = '';
    const child = spawn('npm', args, { cwd, stdio });
    child.stdout?.on('data', (data) => (output += data));
    child.stderr?.on('data', (data) => (output += data));
    child.on('close', (code) => done({ ok: code === 0, output }));
  });
}

// Folders are installed one after the other while those before them are tested.
let last = Promise.resolve();
const installs = new Map(
  names.map((name) => {
    last = last.then(() => npm(['ci', '--no-audit', '--no-fund'], resolve(root, name), 'pipe'));
    return [name, last];
  }),
);
const failed = [];
const results = [];
for (const name of names) {
  const cwd = resolve(root, name);
  const file = join(cwd, 'node_modules/.scenarios.json');
  const install = await installs.get(name);
  const started = Date.now();
  console.log(`\n== integration/${name}`);
  if (!install.ok) console.error(install.output);
  rmSync(file, { force: true });
  const { ok } = install.ok ? await npm(['test'], cwd, 'inherit') : install;
  if (!ok) failed.push(name);
  if (existsSync(file)) results.push(...JSON.parse(readFileSync(file, 'utf8')));
  console.log(`${name}: ${Math.round((Date.now() - started) / 1000)} s`);
}

const table = toTable(results);
console.log(`\n${table}`);
if (only.length === 0) checkPage();
console.log(`\n${names.length - failed.length} passed, ${failed.length} failed`);
if (failed.length > 0) process.exit(1);

/** One row for each agent, one column for each scenario; reasons are notes below. */
function toTable(subjects) {
  const ids = [...new Set(subjects.flatMap(({ cells }) => cells.map(({ id }) => id)))];
  const notes = [];
  const cellOf = (cell) => {
    if (cell?.cannot === undefined) return cell?.result ?? '';
    if (!notes.includes(cell.cannot)) notes.push(cell.cannot);
    return `no (${notes.indexOf(cell.cannot) + 1})`;
  };
  const header = ['', ...ids, 'version', 'Node'];
  const rows = [
    header,
    header.map(() => '---'),
    ...subjects.map(({ title, version, node, cells }) => [
      title,
      ...ids.map((id) => cellOf(cells.find((cell) => cell.id === id))),
      version,
      node,
    ]),
  ];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => {
    const padded = row.map((cell, column) => cell.padEnd(widths[column], cell === '---' ? '-' : ' '));
    return `| ${padded.join(' | ')} |`;
  });
  return [...lines, '', ...notes.map((note, index) => `${index + 1}. ${note}`)].join('\n');
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
