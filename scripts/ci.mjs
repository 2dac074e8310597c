// Runs every check that a change must pass and adds up the tests. `.ci/run` starts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const STEPS = [
  ['npm', 'ci', '--no-audit', '--no-fund'],
  ['npm', 'test'],
  ['npm', 'run', 'test:browser'],
  // A fixed seed: the same code gives the same result.
  ['npm', 'run', 'test:deep', '--', '--seed', '20261115'],
  ['npm', 'run', 'test:integration'],
  ['npm', 'run', 'build'],
  ['npm', 'run', 'test:package'],
  ['npm', 'run', 'docs:build'],
];

/** Splits the output of a step into lines without colours. */
function linesOf(output) {
  // oxlint-disable-next-line no-control-regex -- the colours of a terminal
  return output.replaceAll(/\u001b\[[\d;]*m/g, '').split('\n');
}

/** Counts passed and failed tests in the summaries of vitest, `node --test` and the scripts of this folder. */
function countTests(lines) {
  const runners = lines.flatMap((line) => /^\s+Tests\s+(\d.*)$/.exec(line)?.[1] ?? nodeSummary(line));
  const summaries =
    runners.length > 0 ? runners : lines.filter((line) => /^\d+ passed, \d+ failed$/.test(line));
  const count = (what) =>
    summaries.reduce((sum, text) => sum + Number(new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? 0), 0);
  return { passed: count('passed'), failed: count('failed') };
}

/** Rewrites a line such as `# pass 5` as `5 passed`. */
function nodeSummary(line) {
  const [, what, many] = /^[#ℹ] (pass|fail) (\d+)$/.exec(line) ?? [];
  return what === undefined ? [] : [`${many} ${what}ed`];
}

/** Returns the lines with which vitest, `node --test` and the scripts of this folder name a failed test, each once. */
function failedTests(lines) {
  return [
    ...new Set(lines.filter((line) => /^\s*(FAIL|FAILED|✖|not ok)\s/.test(line)).map((line) => line.trim())),
  ];
}

async function run([command, ...args]) {
  console.log(`\n=== ${[command, ...args].join(' ')}`);
  const start = Date.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      output += text;
      process[name].write(text);
    });
  const [code] = await once(child, 'close');
  const lines = linesOf(output);
  const counts = countTests(lines);
  // A step that fails without a failed test, such as a type error, counts as one failure.
  if (code !== 0) counts.failed = Math.max(1, counts.failed);
  return {
    name: [command, ...args].join(' '),
    seconds: Math.round((Date.now() - start) / 1000),
    ...counts,
    failures: code === 0 ? [] : failedTests(lines),
  };
}

const results = [];
for (const step of STEPS) {
  results.push(await run(step));
  // The other steps need the packages.
  if (step[1] === 'ci' && results[0].failed > 0) break;
}
// The output of a step is long: what failed is named once more at the end.
for (const { name, failures } of results)
  if (failures.length > 0) console.log(`\nFailed in ${name}:\n  ${failures.join('\n  ')}`);
const sum = (what) => results.reduce((total, result) => total + result[what], 0);
const row = (name, seconds, passed, failed) =>
  `${name.padEnd(32)}${String(seconds).padStart(8)}${String(passed).padStart(9)}${String(failed).padStart(9)}`;
console.log(`\n${row('step', 'seconds', 'passed', 'failed')}`);
for (const { name, seconds, passed, failed } of results) console.log(row(name, seconds, passed, failed));
console.log(row('all', sum('seconds'), sum('passed'), sum('failed')));
process.exitCode = sum('failed') > 0 ? 1 : 0;
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
