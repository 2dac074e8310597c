import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHostClient } from '../testing-support/host-client.ts';

it('closeOnSignals ends the process while the body of a tool goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-serve-'));
  const file = join(folder, 'holdpoint.db');
  const script = join(import.meta.dirname, '../testing-support/serve-slow-tool.ts');
  const execArgv = ['--conditions=holdpoint-source', '--import', 'tsx'];
  const child = fork(script, [file], { execArgv });
  try {
    const exit = once(child, 'exit');
    const [url] = (await once(child, 'message')) as [string];
    const begun = once(child, 'message');
    const run = createHostClient(fetch, { url }).run({ say: 'go' });
    await begun;
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect((await run).outcome).not.toBe('success');
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
