import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-without-pg-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('an installation without pg', () => {
  it('can import the store, and is told what to install when it uses it', async () => {
    const outfile = join(folder, 'store.mjs');
    await build({
      entryPoints: [resolve(import.meta.dirname, 'index.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    const script = `
      import { postgresStore } from ${JSON.stringify(pathToFileURL(outfile).href)};
      const error = await postgresStore('postgres://127.0.0.1/none').now().catch((error) => error);
      console.log(JSON.stringify([error.code, error.message, error.cause.code]));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: folder },
    );
    expect(JSON.parse(stdout)).toEqual([
      'STORE_FAILED',
      'The PostgreSQL store needs the package "pg": npm install pg.',
      'ERR_MODULE_NOT_FOUND',
    ]);
  });
});
