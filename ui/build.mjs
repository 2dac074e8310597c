// Builds the web app into dist/ui: index.html, assets/app.js and its chunks, assets/app.css and assets/licenses.txt. Pages
// and scripts name their files with a hash, so that a browser never mixes two versions.
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = import.meta.dirname;
const target = resolve(process.argv[2] ?? join(here, '../dist/ui'));
const assets = join(target, 'assets');

const { outputFiles, metafile } = await build({
  absWorkingDir: join(here, '..'),
  metafile: true,
  entryPoints: [
    { in: join(here, 'main.ts'), out: 'app' },
    { in: join(here, 'app.css'), out: 'app' },
  ],
  // The style sheet is beside the icon.
  external: ['./icon.svg'],
  outdir: assets,
  bundle: true,
  // Parts that are imported on demand, such as the patterns of schemas, are loaded when a page needs them.
  splitting: true,
  chunkNames: 'chunk-[hash]',
  minify: true,
  write: false,
  format: 'esm',
  target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
  platform: 'browser',
  conditions: ['holdpoint-source'],
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'eof',
});

await rm(target, { recursive: true, force: true });
await mkdir(assets, { recursive: true });
const hash = createHash('sha256');
for (const { path, contents } of outputFiles) {
  hash.update(contents);
  await writeFile(path, contents);
  const size = (gzipSync(contents).length / 1000).toFixed(1);
  process.stdout.write(`${path.slice(target.length + 1)}  ${size} kB gzip\n`);
}
const version = hash.digest('hex').slice(0, 12);
const page = await readFile(join(here, 'index.html'), 'utf8');
await writeFile(
  join(target, 'index.html'),
  page.replaceAll('%VERSION%', version).replace('<!-- chunks -->', preloads(metafile)),
);
await cp(join(here, 'icon.svg'), join(assets, 'icon.svg'));
await writeFile(join(assets, 'licenses.txt'), await licensesOf(metafile));
process.stdout.write(`The web app is in ${target}.\n`);

/**
 * Links to the chunks, so that a browser loads them beside the app, those on demand last: a page that has lost its server
 * can then still check an answer. The German texts are loaded when they are needed; content parts and other dialects, which the
 * client of the pages has for other apps and other servers, are not.
 */
function preloads({ outputs }) {
  const needed = new Map();
  const isRare = (path) =>
    Object.keys(outputs[path].inputs).some((input) => /\/(?:german|content-parts|dialects)\.ts$/.test(input));
  const follow = (path, isAtOnce) => {
    for (const { path: chunk, kind } of outputs[path].imports) {
      const isSoon = isAtOnce && kind === 'import-statement';
      if (outputs[chunk] === undefined || isRare(chunk)) continue;
      if (needed.get(chunk) === true || needed.get(chunk) === isSoon) continue;
      needed.set(chunk, isSoon);
      follow(chunk, isSoon);
    }
  };
  follow(
    Object.keys(outputs).find((path) => path.endsWith('/app.js')),
    true,
  );
  return [...needed]
    .toSorted(([, one], [, other]) => Number(other) - Number(one))
    .map(
      ([path, isSoon]) =>
        `<link rel="modulepreload"${isSoon ? '' : ' fetchpriority="low"'} href="/assets/${basename(path)}" />`,
    )
    .join('\n    ');
}

/** The license of each bundled package: its text, or its name when the package has no license file. */
async function licensesOf({ outputs }) {
  const used = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
  const folders = new Set(used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const place = join(here, '..', folder);
    const { name, version, license } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
    const file = (await readdir(place)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n${(await readFile(join(place, file), 'utf8')).trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
