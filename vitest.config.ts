import { defineConfig } from 'vitest/config';

/** Tests that start processes (esbuild is one) or need PostgreSQL. Every other file outside `test/browser` is a unit test. */
const PROCESSES = [
  'src/store/postgres/*.test.ts',
  'src/store/sqlite/many-processes.test.ts',
  'src/{client,stream}/bundle.test.ts',
  'src/stream/example-01.test.ts',
  'test/{a2a,cli,crash,freeze,host,races,weather}/**/*.test.ts',
  'test/{browser-safe,docs,examples}.test.ts',
];
const BROWSER = ['test/browser/*.test.ts'];

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
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...PROCESSES, ...BROWSER],
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
      { extends: true, test: { name: 'browser', include: BROWSER } },
    ],
  },
});
