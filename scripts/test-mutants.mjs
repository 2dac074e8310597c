// Plants each fault of test/mutants/mutants.json in a copy of the sources and runs the tests that must notice it.
//   npm run test:mutants                 all of them
//   npm run test:mutants -- grant csv    those whose sentence or file contains one of the words
// A fault is a sentence of behaviour, a file, a text in it, the text that breaks it, and the test files that must fail.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const words = process.argv.slice(2);
const all = JSON.parse(readFileSync(join(root, 'test/mutants/mutants.json'), 'utf8'));
const isChosen = ({ behaviour, file }) =>
  words.length === 0 || words.some((word) => `${behaviour} ${file}`.includes(word));
const mutants = all.filter(isChosen);
if (mutants.length === 0) {
  console.error('No fault fits these words.');
  process.exit(1);
}

/** A copy of all that the tests read, with the packages of this folder. */
function copyProject() {
  const copy = mkdtempSync(join(root, 'node_modules/.mutants-'));
  const link = (path) => {
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(copy, path));
  };
  for (const path of ['src', 'test'])
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (source) => !source.includes('node_modules'),
    });
  for (const path of ['package.json', 'tsconfig.json', 'vitest.config.ts'])
    cpSync(join(root, path), join(copy, path));
  for (const path of [
    'node_modules',
    'ui',
    'docs',
    'examples',
    'bench',
    'integration',
    'scripts',
    'README.md',
  ])
    link(path);
  for (const path of ['test/postgres/node_modules', 'test/browser/node_modules']) link(path);
  return copy;
}

/** Runs test files in a copy; says whether all passed, and what was printed. */
function runTests(copy, tests) {
  return new Promise((done) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const projects = ['--project', 'unit', '--project', 'processes'];
    const child = spawn(process.execPath, [vitest, 'run', ...projects, '--bail', '1', ...tests], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('close', (code) => done({ passed: code === 0, output }));
  });
}

/** Plants one fault and runs its tests. Returns what is wrong, or undefined if the tests noticed. */
async function tryMutant(copy, { file, find, replace, tests }) {
  const path = join(copy, file);
  if (!existsSync(path)) return `there is no file ${file}: plant the fault where the code is now`;
  const text = readFileSync(path, 'utf8');
  const times = text.split(find).length - 1;
  if (times !== 1)
    return `the text to replace is ${times} times in ${file}: plant the fault where the code is now`;
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
  try {
    const { passed, output } = await runTests(copy, tests);
    if (passed) return `no test of ${tests.join(', ')} failed`;
    // A copy that does not load fails every test and proves nothing.
    if (!/Tests .*\d+ failed/.test(output)) return `the tests could not run:\n${output.slice(-2000)}`;
    return undefined;
  } finally {
    writeFileSync(path, text);
  }
}

const copies = Array.from({ length: Math.min(2, availableParallelism(), mutants.length) }, copyProject);
process.on('exit', () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const sound = await runTests(copies[0], [...new Set(mutants.flatMap(({ tests }) => tests))]);
if (!sound.passed) {
  console.error(`The tests fail without a fault:\n${sound.output.slice(-4000)}`);
  process.exit(1);
}
const waiting = [...mutants];
let failed = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const problem = await tryMutant(copy, mutant);
      if (problem !== undefined) failed += 1;
      console.log(problem === undefined ? `✓ ${mutant.behaviour}` : `FAIL ${mutant.behaviour}\n  ${problem}`);
    }
  }),
);
console.log(`\n     Tests  ${mutants.length - failed} passed | ${failed} failed (${mutants.length})`);
process.exitCode = failed > 0 ? 1 : 0;
