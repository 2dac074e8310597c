import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Gives paths in a folder of its own, which is removed after the tests of the file that calls this. */
export function temporaryPaths(): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-sqlite-'));
  let count = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => {
    count += 1;
    return join(folder, `${count}.db`);
  };
}
