import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const script = String(new URL('../scripts/list-licences.mjs', import.meta.url));
const { isPermissive, licencePage } = (await import(script)) as {
  isPermissive(licence?: string): boolean;
  licencePage(lock: object): string;
};
const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

describe('the licence list', () => {
  it('names what the lock file installs for a user; npm run licences writes it', () => {
    expect(read('docs/licences.md')).toBe(licencePage(JSON.parse(read('package-lock.json'))));
  });

  it('follows each dependency to its own copy, and leaves development packages out', () => {
    const lock = {
      packages: {
        '': { dependencies: { a: '1' }, devDependencies: { d: '1' } },
        'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '2' } },
        'node_modules/a/node_modules/b': { version: '2.0.0', license: 'ISC' },
        'node_modules/b': { version: '1.0.0', license: 'GPL-3.0' },
        'node_modules/d': { version: '1.0.0', license: 'GPL-3.0' },
      },
    };
    expect(licencePage(lock).split('\n').slice(-4)).toEqual([
      '| ------- | ------- | ------- |',
      '| `a`     | 1.0.0   | MIT     |',
      '| `b`     | 2.0.0   | ISC     |',
      '',
    ]);
  });

  it('rejects a package whose licence is not permissive, and names it', () => {
    const lock = {
      packages: {
        '': { optionalDependencies: { a: '1' } },
        'node_modules/a': { version: '1.0.0', license: 'AGPL-3.0' },
      },
    };
    expect(() => licencePage(lock)).toThrow('a (AGPL-3.0)');
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['(Apache-2.0 AND BSD-3-Clause)', true],
    ['(MIT AND GPL-3.0)', false],
    ['SEE LICENSE IN x', false],
    [undefined, false],
  ])('takes %s as permissive: %s', (licence, expected) => {
    expect(isPermissive(licence)).toBe(expected);
  });
});
