import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('keeps the exit code of a process that started PostgreSQL, so that a failed test fails the command', () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'start-postgres.ts'))});
    const server = await startPostgres();
    await server.stop();
    process.exitCode = 3;
  `;
  const options = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { status, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([3, expect.any(String)]);
});
