// The long tests: more draws of every property by a random seed, more kills, races and malformed requests.
//   npm run test:deep                                    all of them, in about ten minutes on two cores
//   npm run test:deep -- --size 50 test/crash            larger, and only these files
//   npm run test:deep -- --size 50 --seed 123 test/crash the draws of an earlier run
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: process.env['TEST_SIZE'] ?? '10' },
    seed: { type: 'string', default: process.env['TEST_SEED'] ?? String(randomInt(2 ** 31)) },
  },
});
const { size, seed } = values;
if (!(Number(size) > 1) || !Number.isInteger(Number(seed))) {
  console.error('--size must be a number above 1, and --seed an integer.');
  process.exit(1);
}

const repeat = `npm run test:deep -- ${['--size', size, '--seed', seed, ...positionals].join(' ')}`;
console.log(`Size ${size}, seed ${seed}. The same draws again: ${repeat}`);
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const projects = ['--project', 'unit', '--project', 'processes'];
// Test time grows with the size.
const timeout = ['--testTimeout', String(60_000 * Math.max(5, Number(size)))];
const { status } = spawnSync(process.execPath, [vitest, 'run', ...projects, ...timeout, ...positionals], {
  stdio: 'inherit',
  env: { ...process.env, TEST_SIZE: size, TEST_SEED: seed },
});
if (status !== 0)
  console.error(`\nFailed with size ${size} and seed ${seed}. The same draws again: ${repeat}`);
process.exitCode = status ?? 1;
// The faults belong to all tests; a run of some files leaves them out.
if (positionals.length === 0) {
  const planted = spawnSync(process.execPath, [join(import.meta.dirname, 'test-mutants.mjs')], {
    stdio: 'inherit',
  });
  if (planted.status !== 0) process.exitCode = 1;
}
