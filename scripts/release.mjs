// Releases a version: checks, version, changelog, all tests, commit, tag, npm publish. It pushes nothing.
//   npm run release -- minor             major, minor, patch, or a version such as 0.2.0
//   npm run release -- minor --dry-run   makes the checks, prints the other steps and changes nothing
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/**
 * The changelog with the entries of "Unreleased" under the version. A changelog that already has a dated heading of the version, and
 * no entries above it, stays as it is. Throws if the version has no entries, or entries in both places.
 */
export function releaseChangelog(text, version, date) {
  const heading = '## [Unreleased]\n';
  const start = text.indexOf(heading);
  if (start === -1) throw new Error('CHANGELOG.md has no heading "## [Unreleased]".');
  const end = start + heading.length;
  const next = text.indexOf('\n## ', end);
  const hasEntries = /^- /m.test(text.slice(end, next === -1 ? undefined : next));
  const isDated = text.split('\n').some((line) => line.startsWith(`## [${version}] - `));
  if (isDated && hasEntries)
    throw new Error(`CHANGELOG.md has a heading of ${version}, and entries under "Unreleased": move them.`);
  if (isDated) return text;
  if (!hasEntries) throw new Error('CHANGELOG.md has no entries under "Unreleased".');
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

/** The files that name the version, by path, with the text that they have after the release. */
function filesOf(root, version, date) {
  const read = (name) => readFileSync(join(root, name), 'utf8');
  const apps = readdirSync(join(root, 'examples/apps')).filter((name) => !name.includes('.'));
  return new Map([
    ['package.json', setVersion(read('package.json'), version)],
    ['package-lock.json', setLockVersion(read('package-lock.json'), version)],
    ['CHANGELOG.md', releaseChangelog(read('CHANGELOG.md'), version, date)],
    [
      'src/host/http/openapi.ts',
      read('src/host/http/openapi.ts').replace(/^(const VERSION = )'[^']+'/m, `$1'${version}'`),
    ],
    ...apps.map((name) => {
      const path = `examples/apps/${name}/package.json`;
      return [path, read(path).replace(/("holdpoint": )"\^[^"]+"/, `$1"^${version}"`)];
    }),
  ]);
}

/**
 * The steps of a release of the repository at `root`. A step with `isCheck` changes nothing. `run(command, args)` starts a program,
 * shows its output and throws if it fails.
 */
export function releaseSteps({ root, change, date, run }) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = nextVersion(manifest.version, change);
  const tag = `v${version}`;
  return [
    {
      name: 'check that the working tree is clean',
      isCheck: true,
      action() {
        const changes = git('status', '--porcelain');
        if (changes !== '') throw new Error(`Commit or remove these changes first:\n${changes}`);
      },
    },
    {
      name: `check that the tag ${tag} does not exist`,
      isCheck: true,
      action() {
        if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists already.`);
      },
    },
    {
      name: `check the entries of ${version} in CHANGELOG.md`,
      isCheck: true,
      action: () => void filesOf(root, version, date),
    },
    {
      name: 'check that package.json names the repository, which the provenance of npm needs',
      isCheck: true,
      action() {
        if (manifest.repository === undefined)
          throw new Error('Add "repository" to package.json: npm compares it with the origin of the build.');
      },
    },
    {
      name: `set the version ${version} in package.json, package-lock.json, the OpenAPI document, the apps and CHANGELOG.md`,
      action() {
        for (const [name, text] of filesOf(root, version, date)) writeFileSync(join(root, name), text);
      },
    },
    { name: 'run .ci/run', action: () => run(process.execPath, ['scripts/ci.mjs']) },
    {
      name: `commit "chore(release): ${version}", unless the version was set before`,
      action() {
        if (git('status', '--porcelain') !== '') git('commit', '--all', '-m', `chore(release): ${version}`);
      },
    },
    {
      name: `create the tag ${tag}`,
      action: () => git('tag', '--annotate', tag, '-m', `Holdpoint ${version}`),
    },
    {
      name: 'npm publish --provenance',
      async action() {
        const { stagePackage } = await import('./stage-package.mjs');
        run('npm', ['publish', stagePackage(), '--provenance', '--access', 'public']);
      },
    },
  ];
}

/** Runs the steps. A dry run makes every check and reports the failed ones; it runs no other step. Returns the failures. */
export async function release(steps, isDryRun, log = console.log) {
  const failures = [];
  for (const [index, { name, isCheck = false, action }] of steps.entries()) {
    log(`${index + 1}. ${name}`);
    if (isDryRun && !isCheck) continue;
    try {
      await action();
    } catch (error) {
      failures.push(error.message);
      log(`   FAILED: ${error.message}`);
      if (!isDryRun) return failures;
    }
  }
  if (!isDryRun) log('Next, by hand: git push --follow-tags');
  return failures;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  try {
    const steps = releaseSteps({
      root,
      change: positionals[0],
      date: new Date().toISOString().slice(0, 10),
      run: (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' }),
    });
    const failures = await release(steps, values['dry-run']);
    process.exitCode = failures.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
