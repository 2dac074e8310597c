import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loomFlow } from './loom.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guides/write-an-adapter.md'), 'utf8');
const [, adapter = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
// Beside the frameworks, because the runner of the scenarios expects a framework there.
const folder = mkdtempSync(join(root, 'integration/.loom-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the runner of the guide has at most 40 lines', () => {
  const [, runner = ''] = /(export function fromLoom[\s\S]*?\n}\n)/.exec(adapter) ?? [];
  expect(runner.split('\n').length).toBeGreaterThan(10);
  expect(runner.split('\n').length).toBeLessThanOrEqual(40);
});

it('the adapter of the guide goes through every scenario of the frameworks', async () => {
  const types =
    "import type { LoomAsk, LoomDecision, LoomFlow } from '../../test/write-an-adapter/loom.ts';\n";
  const source = adapter
    .replaceAll(/'holdpoint\/(\w+)'/g, "'../../src/$1/index.ts'")
    .replaceAll("'holdpoint'", "'../../src/index.ts'");
  writeFileSync(join(folder, 'adapter.ts'), types + source);
  writeFileSync(
    join(folder, 'agents.ts'),
    `import { ${loomFlow.name} } from '../../test/write-an-adapter/loom.ts';
import { fromLoom } from './adapter.ts';
export const createAgents = (world) => ({ loom: fromLoom(loomFlow(world)) });`,
  );
  writeFileSync(
    join(folder, 'subjects.ts'),
    "export const SUBJECTS = [{ agent: 'loom', title: 'Loom', package: 'loom' }];",
  );
  mkdirSync(join(folder, 'node_modules/loom'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/loom/package.json'), '{"name":"loom","version":"1.0.0"}');
  const child = spawn(process.execPath, ['--import', 'tsx', '../run-scenarios.ts'], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(output).toMatch(/Loom \(loom 1\.0\.0\): \d+ yes, 0 no, 0 failed/);
  expect(code).toBe(0);
  const results = JSON.parse(readFileSync(join(folder, 'node_modules/.scenarios.json'), 'utf8')) as readonly {
    readonly cells: readonly unknown[];
  }[];
  expect(results[0]?.cells.length).toBeGreaterThan(15);
}, 240_000);
