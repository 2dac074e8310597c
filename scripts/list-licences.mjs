// Writes docs/licences.md: the licence of every package that `npm install holdpoint` installs, by package-lock.json. Fails if one of
// them is not permissive. `npm run licences` after a change of the lock file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that ask for a notice and nothing else (SPDX names). */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** Whether one alternative of a licence expression such as `(MIT OR GPL-3.0)` is permissive. A missing licence is not. */
export function isPermissive(licence) {
  const alternatives = (licence ?? '').replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((names) => names.split(' AND ').every((name) => PERMISSIVE.has(name)));
}

/** The packages below the root of a lock file that users of the package install, sorted, each with its version and licence. */
export function installedPackages(lock) {
  const found = new Map();
  const visit = (path, { dependencies = {}, optionalDependencies = {} }) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = resolveIn(lock.packages, path, name);
      if (place === undefined) throw new Error(`package-lock.json has no entry for ${name}.`);
      if (found.has(place)) continue;
      const entry = lock.packages[place];
      found.set(place, { name, version: entry.version, licence: entry.license });
      visit(place, entry);
    }
  };
  visit('', lock.packages['']);
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The path of the copy of a package that a package at `path` gets: its own, or the nearest above. */
function resolveIn(packages, path, name) {
  for (let folder = path; ; folder = folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (folder === '') return undefined;
  }
}

/** The page. Throws and names the packages if a licence is not permissive. */
export function licencePage(lock) {
  const packages = installedPackages(lock);
  const others = packages.filter(({ licence }) => !isPermissive(licence));
  if (others.length > 0) {
    const names = others.map(({ name, licence = 'no licence' }) => `${name} (${licence})`).join(', ');
    throw new Error(`These packages have no permissive licence: ${names}.`);
  }
  const rows = packages.map(({ name, version, licence }) => [`\`${name}\``, version, licence]);
  const all = [['package', 'version', 'licence'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return `# Licences

Holdpoint has the [MIT licence](../LICENSE). \`npm install holdpoint\` also installs these packages; all have permissive licences.
\`npm run licences\` writes this page from \`package-lock.json\`. Platform packages of \`libsql\` are alternatives: npm installs one of them.

The web app in \`dist/ui\` contains code of some of these packages. Their licence texts are in \`dist/ui/assets/licenses.txt\`; a host with
\`pages: webPages()\` serves them at \`/assets/licenses.txt\`. Optional peers (\`pg\`, \`react\`, \`@lit/react\`, \`@a2a-js/sdk\`,
\`@opentelemetry/api\`) are not installed with Holdpoint.

${[line(all[0]), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')}
`;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..');
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  writeFileSync(join(root, 'docs/licences.md'), licencePage(lock));
}
