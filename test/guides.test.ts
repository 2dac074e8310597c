import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createHost } from '../src/host/index.ts';
import { defineAgent } from '../src/index.ts';
import { memoryStore } from '../src/store/memory/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.cache/guides');

/** The programs of the docs: blocks that begin with "ts run". */
const programs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((page) => page.endsWith('.md') && !/node_modules|\.site\//.test(page))
  .flatMap((page) => {
    const text = readFileSync(join(root, 'docs', page), 'utf8');
    return [...text.matchAll(/```ts run\n([\s\S]*?)```/g)].map(([, code = ''], index) => ({
      name: `${page.replace('.md', '').replaceAll('/', '-')}-${index + 1}`,
      code,
    }));
  });

describe('the programs of the docs', () => {
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(programs)('$name prints what its comments say', async ({ name, code }) => {
    const expected = [...code.matchAll(/\/\/ prints: (.*)/g)].map(([, line]) => line);
    expect(expected.length).toBeGreaterThan(0);
    const path = join(folder, `${name}.ts`);
    writeFileSync(path, code);
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
      printed.push(values.join(' '));
    });
    try {
      await import(/* @vite-ignore */ path);
    } finally {
      log.mockRestore();
    }
    expect(printed).toEqual(expected);
  });

  it('the curl that starts a run sends an input that a host accepts', async () => {
    const page = readFileSync(join(root, 'docs/guides/out-of-band.md'), 'utf8');
    const [, body = '', path = ''] =
      /curl .*\n +-d '(.*)' \\\n +https:\/\/ai\.example(\/agents\/.*)\n/.exec(page) ?? [];
    const agent = defineAgent({ id: 'ops', model: scriptedModel(['Done.']) });
    const host = createHost({ agents: [agent], store: memoryStore(), sweepMs: 0 });
    const headers = { 'content-type': 'application/json' };
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body });
    expect(await (await host.fetch(request)).text()).toContain('"type":"RUN_FINISHED"');
    await host.close();
  });
});
