// Puts what npm publishes into .cache/package: the built code, the docs, and a package.json without what only this repository
// needs. Run `npm run build` first. Then: npm publish .cache/package
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The files of the package, besides package.json. */
const PARTS = [
  'dist',
  'src/elements/elements.css',
  'deploy',
  'docs',
  'examples',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
];
const LEFT_OUT =
  /node_modules|\.vitepress|docs\/(?:\.site|package|typedoc|decisions)|\.(?:map|png)$|examples\/.*package-lock/;

/** Writes the folder and returns its path. */
export function stagePackage(folder = join(root, '.cache/package')) {
  rmSync(folder, { recursive: true, force: true });
  for (const part of PARTS) {
    mkdirSync(dirname(join(folder, part)), { recursive: true });
    cpSync(join(root, part), join(folder, part), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(relative(root, path)),
    });
  }
  // The pictures would double the package; the decisions and the benchmarks are for people who change Holdpoint. The texts of
  // the links to them stay.
  for (const path of pagesOf(folder)) {
    const text = readFileSync(path, 'utf8')
      .replaceAll(/!\[([^\]]*)\]\([^)]*\.png\)/g, '_$1_')
      .replaceAll(/\[([^\]]*)\]\([^)]*\b(?:decisions\b|bench\/)[^)]*\)/g, '$1');
    writeFileSync(path, text);
  }
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const entry of Object.values(manifest.exports)) {
    delete entry['holdpoint-source'];
    // A style sheet has the types of its elements, so that TypeScript accepts its import.
    if (typeof entry.types === 'object') delete entry.types['holdpoint-source'];
  }
  removeInnerTypes(folder, manifest.exports);
  delete manifest.devDependencies;
  delete manifest.scripts;
  delete manifest.files;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  return folder;
}

/** Removes the declaration files that no entry of the package leads to. */
function removeInnerTypes(folder, exports) {
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, to] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g))
      reach(join(dirname(path), to.replace(/\.[jt]s$/, '.d.ts')));
  };
  const entries = JSON.stringify(exports).match(/[^"]+\.d\.ts/g) ?? [];
  for (const entry of entries) reach(join(folder, entry));
  for (const path of readdirSync(join(folder, 'dist'), { recursive: true }))
    if (path.endsWith('.d.ts') && !reached.has(join(folder, 'dist', path)))
      rmSync(join(folder, 'dist', path));
}

/** The relative links of the Markdown files in a folder that lead to no file of it. */
export function deadLinks(folder) {
  return pagesOf(folder).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, link]) => link)
      .filter((link) => !exists(resolve(path, '..', link)))
      .map((link) => `${path}: ${link}`),
  );
}

function pagesOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));
}

function exists(path) {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return error.code === 'EISDIR';
  }
}

if (process.argv[1] === import.meta.filename) console.log(stagePackage());
