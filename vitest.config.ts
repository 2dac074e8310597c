import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['holdpoint-source', 'node', 'default'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup-fast-check.ts'],
    testTimeout: 60_000,
    // How long a machine takes that does many things at once is none of a test's business.
    expect: { poll: { timeout: 30_000 } },
  },
});
