import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { IS_DEEP } from './test/size.ts';

/** What a test imports that starts processes (esbuild is one) or needs PostgreSQL. */
const STARTS_PROCESSES =
  /from '(?:node:child_process|esbuild|[^']*\/(?:processes|spawn-child|measure-page|create-database|start-postgres)\.ts)'/;
const tests = ['src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    // Too slow for `npm test` as a whole file.
    .filter((path) => IS_DEEP || !path.endsWith('.deep.test.ts')),
);
const BROWSER = tests.filter((path) => path.startsWith('test/browser/'));
const PROCESSES = tests.filter(
  (path) => !BROWSER.includes(path) && STARTS_PROCESSES.test(readFileSync(path, 'utf8')),
);
const UNIT = tests.filter((path) => !BROWSER.includes(path) && !PROCESSES.includes(path));

export default defineConfig({
  ssr: { resolve: { conditions: ['holdpoint-source', 'node', 'default'] } },
  test: {
    setupFiles: ['test/setup-fast-check.ts'],
    maxWorkers: 2,
    // Concurrent tests wait for leases to end, not for the processor.
    maxConcurrency: 16,
    testTimeout: 60_000,
    // A busy machine must not fail a test that waits for something.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT,
          // Importing the sources anew for every file takes longer than the tests themselves.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: PROCESSES,
          globalSetup: ['test/postgres/share-postgres.ts'],
        },
      },
      // axe takes long on a busy machine.
      { extends: true, test: { name: 'browser', include: BROWSER, testTimeout: 240_000 } },
    ],
  },
});
