import { beforeAll, describe, expect, it } from 'vitest';
import type { PageSizes } from './testing-support/measure-page.ts';
import { measurePage } from './testing-support/measure-page.ts';

/** What a page may load in all: for a run and an answer, and with the validator. */
const PLAIN = 18_000;
const WITH_VALIDATOR = 30_000;

/** The most that each rare thing may load beyond a run and its answers. */
const RARE: Readonly<Record<string, number>> = {
  'answer-check': 8000,
  chunks: 2500,
  'content-input': 7200,
  'cover-answers': 1500,
  failures: 900,
  'inbox-requests': 2400,
  'kept-questions': 900,
  'other-forms': 11000,
  patch: 4100,
  'rare-events': 900,
  'run-tools': 1500,
  'schema-formats': 2000,
  'schema-patterns': 4600,
  'schema-references': 1300,
  'schema-words': 2900,
  'update-reader': 7600,
  verifier: 2500,
  'watch-thread': 8500,
  'whole-events': 4500,
};

describe('the client in a page', () => {
  let page: PageSizes;
  const sizeAt = (stage: string) => [...(page.stages.get(stage)?.values() ?? [])].reduce((a, b) => a + b, 0);

  beforeAll(async () => {
    page = await measurePage(`export { answer, approve, createClient } from './index.ts';`);
    const lines = [...page.stages].flatMap(([stage, chunks]) => [
      `${stage}: ${sizeAt(stage)} bytes`,
      ...[...chunks].map(([name, bytes]) => `    ${bytes} ${name}`),
    ]);
    const rare = [...page.rare].map(([name, bytes]) => `    ${bytes} ${name}`);
    console.log([...lines, 'beyond a run and an answer:', ...rare].join('\n'));
  });

  it('loads little with the import, whatever is imported, and no package', async () => {
    expect(sizeAt('import')).toBeLessThan(2500);
    const whole = await measurePage(`export * from './index.ts';`);
    expect([...(whole.stages.get('import')?.values() ?? [])].reduce((a, b) => a + b, 0)).toBeLessThan(2500);
    expect(whole.packages('import')).toEqual([]);
  });

  it('runs an agent and answers a question with no package, within its limit', () => {
    expect(page.packages('a run and an answer')).toEqual([]);
    expect(sizeAt('a run and an answer')).toBeLessThan(PLAIN);
  });

  it('answers to a schema with no package, within its limit', () => {
    expect(page.packages('an answer to a schema')).toEqual([]);
    expect(sizeAt('an answer to a schema')).toBeLessThan(WITH_VALIDATOR);
  });

  it('loads what is rare only when it comes', () => {
    expect([...page.rare.keys()].toSorted()).toEqual(Object.keys(RARE));
    for (const [name, bytes] of page.rare) expect([name, bytes < (RARE[name] ?? 0)]).toEqual([name, true]);
  });
});
