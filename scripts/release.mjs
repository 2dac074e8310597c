// Prepares a release: checks, version, changelog, commit and tag. It never pushes and never publishes.
//   npm run release -- minor             major, minor, patch, or a version such as 0.2.0
//   npm run release -- minor --dry-run   prints the steps and changes nothing
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** The version to release. `change` is `major`, `minor`, `patch`, or a version from `current` on; throws for anything else. */
export function nextVersion(current, change) {
  const [major, minor, patch] = current.split('.').map(Number);
  if (change === 'major') return `${major + 1}.0.0`;
  if (change === 'minor') return `${major}.${minor + 1}.0`;
  if (change === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (!/^\d+\.\d+\.\d+$/.test(change ?? ''))
    throw new Error('Give major, minor, patch or a version such as 0.2.0.');
  const parts = change.split('.').map(Number);
  const index = [major, minor, patch].findIndex((part, at) => part !== parts[at]);
  if (index !== -1 && parts[index] < [major, minor, patch][index])
    throw new Error(`${change} is older than ${current}.`);
  return change;
}

/** The changelog with the entries of "Unreleased" under the version. Throws if there are no entries. */
export function releaseChangelog(text, version, date) {
  const heading = '## [Unreleased]\n';
  const start = text.indexOf(heading);
  if (start === -1) throw new Error('CHANGELOG.md has no heading "## [Unreleased]".');
  const end = start + heading.length;
  const next = text.indexOf('\n## ', end);
  const entries = text.slice(end, next === -1 ? undefined : next);
  if (!/^- /m.test(entries)) throw new Error('CHANGELOG.md has no entries under "Unreleased".');
  return `${text.slice(0, end)}\n## [${version}] - ${date}\n${text.slice(end)}`;
}

/** The text of package.json with another version. */
export function setVersion(text, version) {
  return text.replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`);
}

/** The text of package-lock.json with another version of the root package. */
export function setLockVersion(text, version) {
  const lock = JSON.parse(text);
  lock.version = version;
  lock.packages[''].version = version;
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

function release(change, isDryRun) {
  const root = join(import.meta.dirname, '..');
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const read = (name) => readFileSync(join(root, name), 'utf8');
  const version = nextVersion(JSON.parse(read('package.json')).version, change);
  const date = new Date().toISOString().slice(0, 10);
  const files = {
    'package.json': setVersion(read('package.json'), version),
    'package-lock.json': setLockVersion(read('package-lock.json'), version),
    'CHANGELOG.md': releaseChangelog(read('CHANGELOG.md'), version, date),
  };
  const steps = [
    {
      name: 'check that the working tree is clean',
      run() {
        const changes = git('status', '--porcelain');
        if (changes !== '') throw new Error(`Commit or remove these changes first:\n${changes}`);
      },
    },
    {
      name: `check that the tag v${version} does not exist`,
      run() {
        if (git('tag', '--list', `v${version}`) !== '')
          throw new Error(`The tag v${version} exists already.`);
      },
    },
    {
      name: 'run .ci/run',
      run: () =>
        execFileSync(process.execPath, [join(root, 'scripts/ci.mjs')], { cwd: root, stdio: 'inherit' }),
    },
    {
      name: `set the version ${version} in package.json and package-lock.json, and move "Unreleased" in CHANGELOG.md to it`,
      run() {
        for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
      },
    },
    {
      name: `commit "chore(release): ${version}"`,
      run: () => git('commit', '--all', '-m', `chore(release): ${version}`),
    },
    {
      name: `create the tag v${version}`,
      run: () => git('tag', '--annotate', `v${version}`, '-m', `Holdpoint ${version}`),
    },
  ];
  for (const [index, { name, run }] of steps.entries()) {
    console.log(`${index + 1}. ${name}`);
    if (!isDryRun) run();
  }
  console.log(
    'Next, by hand: git push --follow-tags, then npm run build && npm publish "$(node scripts/stage-package.mjs)".',
  );
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  try {
    release(positionals[0], values['dry-run']);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
