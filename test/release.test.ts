import { describe, expect, it } from 'vitest';

const script = String(new URL('../scripts/release.mjs', import.meta.url));
const { nextVersion, releaseChangelog, setLockVersion, setVersion } = (await import(script)) as {
  nextVersion(current: string, change?: string): string;
  releaseChangelog(text: string, version: string, date: string): string;
  setLockVersion(text: string, version: string): string;
  setVersion(text: string, version: string): string;
};

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

  it.each([
    ['# Changelog\n', 'no heading'],
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
});
