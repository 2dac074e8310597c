import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'examples');
const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .toSorted();

/** Programs that run by themselves and check their own result; servers and their clients have tests of their own. */
const alone = programs.filter((path) => path.includes('/') && !/(?:server|client)\.ts$/.test(path));

describe('the examples', () => {
  it('are there', () => {
    expect(alone.length).toBeGreaterThan(3);
  });

  it.each(alone)('%s runs and finds its own result right', async (path) => {
    const args = ['--conditions=holdpoint-source', '--import', 'tsx', join(folder, path), '--check'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stdout).not.toBe('');
  });

  it.each(programs)('%s is short enough to copy', (path) => {
    expect(readFileSync(join(folder, path), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(80);
  });
});
