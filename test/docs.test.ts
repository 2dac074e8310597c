import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.cache/docs');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
);

interface Example {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

/** The `ts` blocks, each with the hidden declarations of the `<!-- given … -->` comment before it. */
function examplesOf(page: string): Example[] {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = text.matchAll(/(?:<!-- given\n([\s\S]*?)-->\s*)?```ts\n([\s\S]*?)```/g);
  return [...blocks].map(([whole, given = '', code = ''], index) => ({
    page,
    line: text.slice(0, text.indexOf(whole)).split('\n').length,
    code: `${given}\nexport {};\n${code}\nexport const example${index} = true;\n`,
  }));
}

const examples = pages.flatMap(examplesOf);

describe('the documentation', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hides only declarations, no code', () => {
    for (const { page, line, code } of examples)
      expect([page, line, code.includes('/src/')]).toEqual([page, line, false]);
  });

  it('contains only code that compiles', () => {
    expect(examples.length).toBeGreaterThan(3);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    examples.forEach(({ page, line, code }) => {
      writeFileSync(join(folder, `${page.replaceAll(/\W/g, '-')}-${line}.ts`), code);
    });
    const config = {
      extends: '../../tsconfig.json',
      compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts', '../../src/**/*.d.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compile = () =>
      execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    let output = '';
    try {
      output = compile();
    } catch (error) {
      output = String((error as { stdout?: string }).stdout);
    }
    expect(output).toBe('');
  });

  it('contains only links to existing files', () => {
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link ?? '');
      return links
        .filter((link) => !exists(resolve(root, page, '..', link)))
        .map((link) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
  });

  it('has a README of at most 150 lines', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThan(150);
  });
});

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR';
  }
}
