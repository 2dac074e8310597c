import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

interface Step {
  readonly name: string;
  readonly isCheck?: boolean;
  action(): unknown;
}
const script = String(new URL('../scripts/release.mjs', import.meta.url));
const { nextVersion, release, releaseChangelog, releaseSteps, setLockVersion, setVersion } = (await import(
  script
)) as {
  nextVersion(current: string, change?: string): string;
  release(steps: readonly Step[], isDryRun: boolean, log: (line: string) => void): Promise<string[]>;
  releaseChangelog(text: string, version: string, date: string): string;
  releaseSteps(options: {
    root: string;
    change: string;
    date: string;
    run(command: string, args: readonly string[]): void;
  }): Step[];
  setLockVersion(text: string, version: string): string;
  setVersion(text: string, version: string): string;
};

/** A repository with the files that name a version; `files` replace or join them. */
function createRepository(files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-release-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const manifest = { name: 'x', version: '0.1.0', repository: 'github:x/x' };
  const all = {
    'package.json': `${JSON.stringify(manifest, undefined, 2)}\n`,
    'package-lock.json': JSON.stringify({ version: '0.1.0', packages: { '': { version: '0.1.0' } } }),
    'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n- One.\n',
    'src/host/http/openapi.ts': "const VERSION = '0.1.0';\n",
    'examples/apps/vue/package.json': '{ "dependencies": { "holdpoint": "^0.1.0" } }\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  const ran: string[] = [];
  const steps = (change: string) =>
    releaseSteps({
      root,
      change,
      date: '2026-02-03',
      run: (command, args) => void ran.push([command, ...args].join(' ')),
    });
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  return { root, git, ran, steps, read };
}
const quiet = () => {};

describe('the release script', () => {
  it.each([
    ['major', '1.0.0'],
    ['minor', '0.10.0'],
    ['patch', '0.9.4'],
    ['0.9.3', '0.9.3'],
    ['0.9.10', '0.9.10'],
  ])('releases 0.9.3 with %s as %s', (change, expected) => {
    expect(nextVersion('0.9.3', change)).toBe(expected);
  });

  it.each([
    [undefined, 'Give major, minor, patch'],
    ['1.0', 'Give major, minor, patch'],
    ['0.9.2', 'is older than 0.9.3'],
    ['0.8.9', 'is older than 0.9.3'],
  ])('rejects %s as the version to release from 0.9.3', (change, message) => {
    expect(() => nextVersion('0.9.3', change)).toThrow(message);
  });

  it('moves the entries of Unreleased under the version and keeps earlier versions', () => {
    const text =
      '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- Zero.\n';
    expect(releaseChangelog(text, '0.2.0', '2026-02-03')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Fixed\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- Zero.\n',
    );
  });

  it('keeps a changelog that already has the version with its date', () => {
    const text = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-01\n\n- One.\n';
    expect(releaseChangelog(text, '0.2.0', '2026-02-03')).toBe(text);
  });

  it.each([
    ['# Changelog\n', 'no heading'],
    ['## [Unreleased]\n\n- Two.\n\n## [0.2.0] - 2026-01-01\n\n- One.\n', 'move them'],
    ['## [Unreleased]\n\n### Fixed\n\n## [0.1.0] - 2026-01-01\n\n- Zero.\n', 'no entries'],
  ])('rejects the changelog %j', (text, message) => {
    expect(() => releaseChangelog(text, '0.2.0', '2026-02-03')).toThrow(message);
  });

  it('changes only the version of the package itself', () => {
    expect(
      setVersion('{\n  "name": "x",\n  "version": "0.1.0",\n  "a": { "version": "1" }\n}\n', '0.2.0'),
    ).toBe('{\n  "name": "x",\n  "version": "0.2.0",\n  "a": { "version": "1" }\n}\n');
    const lock = { version: '0.1.0', packages: { '': { version: '0.1.0' }, a: { version: '1.0.0' } } };
    expect(JSON.parse(setLockVersion(JSON.stringify(lock), '0.2.0'))).toEqual({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, a: { version: '1.0.0' } },
    });
  });

  it('sets the version everywhere, runs all checks, commits and tags', async () => {
    const { git, ran, steps, read } = createRepository();
    const publish = steps('minor').at(-1);
    expect(publish?.name).toBe('npm publish --provenance');
    expect(await release(steps('minor').slice(0, -1), false, quiet)).toEqual([]);
    expect(ran.map((line) => line.replace(process.execPath, 'node'))).toEqual(['node scripts/ci.mjs']);
    expect(git('log', '--format=%s')).toBe('chore(release): 0.2.0\nfirst');
    expect(git('describe', '--exact-match')).toBe('v0.2.0');
    expect(JSON.parse(read('package.json')).version).toBe('0.2.0');
    expect(JSON.parse(read('package-lock.json')).version).toBe('0.2.0');
    expect(read('CHANGELOG.md')).toContain('## [0.2.0] - 2026-02-03\n\n- One.');
    expect(read('src/host/http/openapi.ts')).toBe("const VERSION = '0.2.0';\n");
    expect(read('examples/apps/vue/package.json')).toContain('"holdpoint": "^0.2.0"');
  });

  it('tags without a commit if the version was set before', async () => {
    const { git, steps } = createRepository();
    await release(steps('minor').slice(0, -2), false, quiet);
    expect(await release(steps('0.2.0').slice(0, -1), false, quiet)).toEqual([]);
    expect(git('log', '--format=%s')).toBe('chore(release): 0.2.0\nfirst');
    expect(git('tag')).toBe('v0.2.0');
  });

  it('reports every failed check in a dry run and changes nothing', async () => {
    const { root, git, ran, steps } = createRepository({
      'package.json': '{ "version": "0.1.0" }\n',
      'CHANGELOG.md': '## [Unreleased]\n',
    });
    git('tag', 'v0.2.0');
    writeFileSync(join(root, 'stray'), '');
    const before = git('status', '--porcelain');
    const failures = await release(steps('minor'), true, quiet);
    expect(failures.map((message) => message.split(/[:.]/)[0])).toEqual([
      'Commit or remove these changes first',
      'The tag v0',
      'CHANGELOG',
      'Add "repository" to package',
    ]);
    expect([git('status', '--porcelain'), ran]).toEqual([before, []]);
  });

  it('stops at the first failure', async () => {
    const { root, git, ran, steps } = createRepository();
    writeFileSync(join(root, 'stray'), '');
    expect(await release(steps('minor'), false, quiet)).toHaveLength(1);
    expect([git('tag'), ran]).toEqual(['', []]);
  });
});
