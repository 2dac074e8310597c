import { beforeAll, describe, expect, it } from 'vitest';
import type { PageSizes } from './testing-support/measure-page.ts';
import { measurePage } from './testing-support/measure-page.ts';

/** Limits in gzipped bytes: for a run and an answer, and with the validator. */
const PLAIN = 18_000;
const WITH_VALIDATOR = 30_000;

/** Limit of each lazy chunk in gzipped bytes, beyond a run and its answers. */
const LAZY: Readonly<Record<string, number>> = {
  'client/host-records': 2100,
  'client/run/content-parts': 8000,
  'core/schema/compile-in-browser': 13000,
  'protocol/dialects/dialects': 10_000,
  'protocol/patch-json': 4500,
};

describe('the client in a page', () => {
  let page: PageSizes;
  const sizeAt = (stage: string) => page.total(stage);

  beforeAll(async () => {
    page = await measurePage(`export { answer, approve, createClient } from './index.ts';`);
    const lines = [...page.stages].flatMap(([stage, chunks]) => [
      `${stage}: ${sizeAt(stage)} bytes`,
      ...[...chunks].map(([name, bytes]) => `    ${bytes} ${name}`),
    ]);
    const lazy = [...page.lazy].map(([name, bytes]) => `    ${bytes} ${name}`);
    console.log([...lines, 'beyond a run and an answer:', ...lazy].join('\n'));
  });

  it('runs an agent and answers an interrupt without a package and within its size limit', () => {
    expect(page.packages('a run and an answer')).toEqual([]);
    expect(sizeAt('a run and an answer')).toBeLessThanOrEqual(PLAIN);
  });

  it('answers an interrupt with a schema within its size limit', () => {
    expect(page.packages('an answer to a schema')).toEqual(['@cfworker/json-schema']);
    expect(sizeAt('an answer to a schema')).toBeLessThan(WITH_VALIDATOR);
  });

  it('loads each lazy chunk only on first use', () => {
    expect([...page.lazy.keys()].toSorted()).toEqual(Object.keys(LAZY));
    for (const [name, bytes] of page.lazy) expect([name, bytes < (LAZY[name] ?? 0)]).toEqual([name, true]);
  });
});
