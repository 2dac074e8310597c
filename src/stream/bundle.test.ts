import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the entry needs no package and no built-in module, and is below 3 kB', async () => {
  const entry = fileURLToPath(new URL('index.ts', import.meta.url));
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => !/src\/(stream|core)\//.test(path))).toEqual([]);
  expect(inputs).toContain('src/stream/to-agui-response.ts');
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(3 * 1024);
});
