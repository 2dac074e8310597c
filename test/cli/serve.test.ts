import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Program } from '../processes/processes.ts';
import { bundleProgram, until } from '../processes/processes.ts';
import { IS_DEEP } from '../size.ts';

let program: Program;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, '../../src/cli/main.ts'));
}, 60_000);
afterAll(() => program.dispose());

/** A folder inside this package, so that the module can import `holdpoint`. */
let folder = '';
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(import.meta.dirname, '.serve-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

/** The source of a module that exports a host. */
const hostModule = (description: string) => `
  import { defineAgent } from 'holdpoint';
  import { createHost } from 'holdpoint/host';
  import { sqliteStore } from 'holdpoint/store/sqlite';
  import { scriptedModel } from 'holdpoint/testing';
  const agent = defineAgent({ id: 'app', description: '${description}', model: scriptedModel(() => 'Hello.'), tools: [] });
  export default createHost({ agents: [agent], store: sqliteStore('${join(folder, 'app.db')}') });
`;

/** `holdpoint serve` in a child process. */
function serve(...flags: readonly string[]) {
  const path = join(folder, 'host.mjs');
  const write = (text: string) => writeFileSync(path, text);
  const start = () => {
    const words = [
      '--conditions=holdpoint-source',
      '--import=tsx',
      program.file,
      'serve',
      path,
      '--port',
      '0',
    ];
    const child = spawn(process.execPath, [...words, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let said = '';
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => (said += text));
    }
    const urls = () => [...said.matchAll(/Holdpoint on (http:\S+)/g)].map(([, url]) => url ?? '');
    return { child, said: () => said, urls };
  };
  return { write, start };
}

async function describedAt(url: string): Promise<unknown> {
  const { description } = (await (await fetch(`${url}/agents/app`)).json()) as { description?: unknown };
  return description;
}

describe('holdpoint serve', () => {
  it('serves the host of a module and exits with 0 on SIGTERM', async () => {
    const { write, start } = serve();
    write(hostModule('once'));
    const { child, urls } = start();
    await until(() => urls().length === 1);
    expect(await describedAt(urls()[0] ?? '')).toBe('once');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  // Three starts of a process: too slow for `npm test`.
  if (IS_DEEP)
    it('holdpoint serve with --watch restarts after a change of the module, also after a broken one, and not after a write to the database', async () => {
      const { write, start } = serve('--watch');
      write(hostModule('first'));
      const { child, said, urls } = start();
      await until(() => urls().length === 1);
      const run = await fetch(`${urls()[0]}/agents/app`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          threadId: 't',
          runId: 'r',
          messages: [{ id: 'm', role: 'user', content: 'hi' }],
          tools: [],
          context: [],
          state: {},
        }),
      });
      expect(await run.text()).toContain('RUN_FINISHED');
      write('export default (');
      await until(() => said().includes('could not be loaded'));
      write(hostModule('second'));
      await until(() => urls().length === 2);
      expect(await describedAt(urls()[1] ?? '')).toBe('second');
      expect(said().match(/Restarting/g)).toHaveLength(2);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    });
});
